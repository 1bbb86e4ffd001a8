import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { checkAddress } from './network-address.js';
import { guardedLookup } from './guarded-lookup.js';

const none = new BlockList();
const octet = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.tuple(octet, octet, octet, octet).map((octets) => ({ address: octets.join('.'), family: 4 }));
const mapped = ipv4.map(({ address }) => ({ address: `::ffff:${address}`, family: 6 }));
const known = fc
  .constantFrom('127.0.0.1', '10.0.0.1', '169.254.169.254', '93.184.216.34')
  .map((address) => ({ address, family: 4 }));
const addresses = fc.array(fc.oneof(ipv4, mapped, known), { minLength: 1, maxLength: 6 });

/** Calls the lookup like net.connect, for one address or for all. */
const look = (answer: { address: string; family: number }[], all: boolean) =>
  new Promise<{ error: unknown; found: unknown }>((resolve) => {
    const lookup = guardedLookup(none, (_hostname, _options, callback) => callback(null, answer));
    lookup('name.example', { all }, (error, found) => resolve({ error, found }));
  });

describe('a name that resolves to several addresses', () => {
  it('returns only permitted addresses, or an error if there are none', async () => {
    await fc.assert(
      fc.asyncProperty(addresses, async (answer) => {
        const reachable = answer.filter(({ address }) => checkAddress(address, none) === null);
        const [all, one] = [await look(answer, true), await look(answer, false)];
        if (!reachable.length) {
          expect(all.error).toMatchObject({ code: 'address-refused', isSent: false });
          expect(one.error).toMatchObject({ code: 'address-refused' });
          return;
        }
        expect(all).toEqual({ error: null, found: reachable });
        expect(one.found).toBe(reachable[0].address);
      }),
    );
  });

  it('passes on the error of the resolver', async () => {
    const unknown = Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    const lookup = guardedLookup(none, (_hostname, _options, callback) => callback(unknown, []));
    await new Promise<void>((resolve) => lookup('x', {}, (error) => resolve(expect(error).toBe(unknown))));
  });
});
