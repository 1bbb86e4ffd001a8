import { describe, expect, it } from 'vitest';
import { Independence } from '../access/independence/independence.js';
import { assessPasskeys, hasPasskey, usablePasskeys } from './counting-passkeys.js';

const passkey = (id: string, registeredAt: number, memberId = 'mia') => ({
  id,
  memberId,
  registeredAt,
  credentialId: Buffer.from(id),
  publicKey: Buffer.alloc(0),
  transports: [],
  name: id,
});

/** Ada reset Mia's password at 10, and Vic vouched for Mia at 20. */
const independence = new Independence(
  [{ member: 'mia', by: 'ada', kind: 'reset', madeAt: 9, at: 10 }],
  [{ member: 'mia', by: 'vic', at: 20 }],
);
const facts = {
  storedIds: undefined,
  requesters: ['ada'],
  couldUse: (person: string, memberId: string, at: number) => independence.couldUse(person, memberId, at),
  acceptsIntroduced: false,
};
const all = [passkey('before', 5), passkey('between', 15), passkey('after', 25)];
const idsFor = (assessed: ReturnType<typeof assessPasskeys>, needsIndependence: boolean, memberId = 'mia') =>
  usablePasskeys(assessed, memberId, { needsIndependence }).map(({ id }) => id);

describe('the passkeys that count for an approval', () => {
  it('exclude those that were added while a requester could use the account, although somebody vouched later', () => {
    expect(independence.couldUse('ada', 'mia')).toBe(false);
    const assessed = assessPasskeys(all, facts);
    expect(idsFor(assessed, true)).toEqual(['before', 'after']);
    expect(idsFor(assessed, false)).toEqual(['before', 'between', 'after']);
  });

  it('include them if introduced members may review', () => {
    expect(idsFor(assessPasskeys(all, { ...facts, acceptsIntroduced: true }), true)).toHaveLength(3);
  });

  it('are those that were stored with the request', () => {
    const assessed = assessPasskeys(all, { ...facts, storedIds: ['before'] });
    expect(idsFor(assessed, true)).toEqual(['before']);
    expect(idsFor(assessPasskeys(all, { ...facts, storedIds: [] }), false)).toEqual([]);
  });

  it('belong to the member, who is no requester', () => {
    const assessed = assessPasskeys([...all, passkey('own', 1, 'ada')], facts);
    expect(idsFor(assessed, false, 'vic')).toEqual([]);
    expect(hasPasskey(assessed, 'vic', { needsIndependence: false })).toBe(false);
    expect(idsFor(assessed, true, 'ada')).toEqual([]);
    expect(idsFor(assessed, false, 'ada')).toEqual(['own']);
  });

  it('are not needed where the step requires none', () => {
    expect(hasPasskey(null, 'vic', { needsIndependence: true })).toBe(true);
  });
});
