import { describe, expect, it } from 'vitest';
import { isRecentTimestamp, isSignedDelivery } from './webhook-signature.js';

describe('the signature of a webhook', () => {
  // the example of GitHub's documentation
  const secret = "It's a Secret to Everybody";
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
  const delivery = { signed: [Buffer.from('Hello, World!')], secret, signature, prefix: 'sha256=' };

  it('accepts the documented example', () => {
    expect(isSignedDelivery(delivery)).toBe(true);
    expect(isSignedDelivery({ ...delivery, signed: ['Hello', ', World!'] })).toBe(true);
  });

  it.each([
    { ...delivery, signed: ['Hello, World'] },
    { ...delivery, secret: 'another' },
    { ...delivery, secret: '' },
    { ...delivery, secret: undefined },
    { ...delivery, signature: undefined },
    { ...delivery, signature: '' },
    { ...delivery, signature: signature.slice(7) },
    { ...delivery, signature: signature.toUpperCase() },
    { ...delivery, prefix: '' },
  ])('rejects a changed delivery, secret or signature: %#', (changed) => {
    expect(isSignedDelivery(changed)).toBe(false);
  });

  it('has a timestamp within the maximum age', () => {
    const now = 1_700_000_000_000;
    expect(isRecentTimestamp('1700000000', 300, now)).toBe(true);
    expect(isRecentTimestamp('1699999700', 300, now)).toBe(true);
    expect(isRecentTimestamp('1700000300', 300, now)).toBe(true);
    for (const old of ['1699999699', '1700000301', '', 'now', '1e9', undefined])
      expect(isRecentTimestamp(old, 300, now)).toBe(false);
  });
});
