import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { decodeUpstreamChange, encodeUpstreamChange } from './catalogue-change.port.js';

describe('a catalog change', () => {
  it('survives encoding and decoding', () => {
    const changes = fc.oneof(
      fc.constantFrom('tools' as const, 'resources' as const, 'prompts' as const),
      fc.record({ updated: fc.string() }),
    );
    const memberId = fc.option(fc.uuid(), { nil: undefined });
    fc.assert(
      fc.property(fc.uuid(), changes, memberId, (connectionId, what, who) => {
        const change = { connectionId, change: what, ...(who && { memberId: who }) };
        expect(decodeUpstreamChange(encodeUpstreamChange(change))).toEqual(change);
      }),
    );
  });
});
