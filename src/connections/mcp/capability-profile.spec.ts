import { describe, expect, it } from 'vitest';
import type { Conversation } from '../conversation.js';
import { capabilitiesOf, capabilityProfileKey, capabilityProfileOf } from './capability-profile.js';

const withCapabilities = (capabilities: Conversation['capabilities']) => ({ capabilities }) as Conversation;

describe('the profile of a caller', () => {
  it('is declared to servers as the caller’s client declared it', () => {
    for (const capabilities of [
      {},
      { elicitation: { form: {} } },
      { elicitation: { url: {} } },
      { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
    ])
      expect(capabilitiesOf(capabilityProfileOf(withCapabilities(capabilities)))).toEqual(capabilities);
  });

  it('has no words but those of the protocol: nobody makes new connections by inventing some', () => {
    const plain = capabilityProfileOf(withCapabilities({ sampling: {}, roots: {} }));
    const odd = capabilityProfileOf(withCapabilities({ sampling: { x: 1 }, roots: { listChanged: true, 'a|b': {} } }));
    expect(capabilityProfileKey(odd)).toBe(capabilityProfileKey(plain));
    expect(capabilitiesOf(odd)).toEqual({ sampling: {}, roots: {} });
  });

  it('is empty where there is nobody', () => {
    expect(capabilityProfileKey(capabilityProfileOf())).toBe('');
    expect(capabilitiesOf(capabilityProfileOf())).toEqual({});
  });
});
