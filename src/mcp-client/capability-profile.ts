import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { Conversation } from '../connections/conversation.port.js';

/** What the caller can be asked for: the capabilities that the protocol defines. */
const capabilityNames = ['form', 'url', 'sampling', 'samplingTools', 'samplingContext', 'roots'] as const;
export type CapabilityProfile = ReadonlySet<(typeof capabilityNames)[number]>;

/** Only capabilities that the protocol defines, so that others do not open further connections to the server. */
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

/** The capabilities to declare to the server: those of the caller, without additions. */
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
