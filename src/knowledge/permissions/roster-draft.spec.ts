import { expect, it } from 'vitest';
import { newId } from '../../platform/crypto/ids.js';
import { RosterDraft } from './roster-draft.js';

it('accepts a title that was cut in the middle of a character', () => {
  const draft = new RosterDraft(newId());
  const audience = { id: 'wiki/1', title: 'Plans \ud83d', rule: 'Members \ud83d', readers: [{ accounts: ['a'] }] };
  draft.add({ account: { id: 'a', name: 'Ada \ud83d' } });
  draft.add({ audience });
  draft.add({ audience: { ...audience } });
  expect(draft.problems).toEqual([]);
  expect(draft.audiences).toMatchObject([{ title: 'Plans \ufffd', rule: 'Members \ufffd', readers: 'sets' }]);
  expect(draft.listedAccounts).toMatchObject([{ name: 'Ada \ufffd' }]);
});

it('closes an audience that is listed twice with different readers', () => {
  const draft = new RosterDraft(newId());
  for (const account of ['a', 'b'])
    draft.add({ audience: { id: 'wiki/1', title: 'Plans', rule: 'Members', readers: [{ accounts: [account] }] } });
  expect(draft.audiences).toMatchObject([{ readers: 'unreadable', setIds: [] }]);
});
