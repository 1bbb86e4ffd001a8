import { describe, expect, it } from 'vitest';
import type { Conversation } from '../connections/conversation.port.js';
import { capabilitiesOf, capabilityProfileKey, capabilityProfileOf } from './capability-profile.js';

const withCapabilities = (capabilities: Conversation['capabilities']) => ({ capabilities }) as Conversation;

describe('the capability profile of a caller', () => {
  it('is declared to servers as the caller’s client declared it', () => {
    for (const capabilities of [
      {},
      { elicitation: { form: {} } },
      { elicitation: { url: {} } },
      { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
    ])
      expect(capabilitiesOf(capabilityProfileOf(withCapabilities(capabilities)))).toEqual(capabilities);
  });

  it('contains only capabilities of the protocol, so that invented ones open no new connections', () => {
    const plain = capabilityProfileOf(withCapabilities({ sampling: {}, roots: {} }));
    const odd = capabilityProfileOf(withCapabilities({ sampling: { x: 1 }, roots: { listChanged: true, 'a|b': {} } }));
    expect(capabilityProfileKey(odd)).toBe(capabilityProfileKey(plain));
    expect(capabilitiesOf(odd)).toEqual({ sampling: {}, roots: {} });
  });

  it('is empty without a caller', () => {
    expect(capabilityProfileKey(capabilityProfileOf())).toBe('');
    expect(capabilitiesOf(capabilityProfileOf())).toEqual({});
  });
});
