import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { Conversation } from '../conversation.js';

/** What can be asked of the caller, in the few words that the protocol has for it. */
const capabilityNames = ['form', 'url', 'sampling', 'samplingTools', 'samplingContext', 'roots'] as const;
export type CapabilityProfile = ReadonlySet<(typeof capabilityNames)[number]>;

/** Only what the protocol defines: whatever else a client declares, it makes no further connection to the server. */
export function capabilityProfileOf(conversation?: Conversation): CapabilityProfile {
  const { elicitation, sampling, roots } = conversation?.capabilities ?? {};
  const has = {
    form: elicitation?.form !== undefined,
    url: elicitation?.url !== undefined,
    sampling: sampling !== undefined,
    samplingTools: sampling?.tools !== undefined,
    samplingContext: sampling?.context !== undefined,
    roots: roots !== undefined,
  };
  return new Set(capabilityNames.filter((word) => has[word]));
}

export const capabilityProfileKey = (profile: CapabilityProfile): string => [...profile].join('+');

/** What is declared to the server: the same, and nothing of our own. */
export function capabilitiesOf(profile: CapabilityProfile): ClientCapabilities {
  return {
    ...((profile.has('form') || profile.has('url')) && {
      elicitation: { ...(profile.has('form') && { form: {} }), ...(profile.has('url') && { url: {} }) },
    }),
    ...(profile.has('sampling') && {
      sampling: {
        ...(profile.has('samplingTools') && { tools: {} }),
        ...(profile.has('samplingContext') && { context: {} }),
      },
    }),
    ...(profile.has('roots') && { roots: {} }),
  };
}
