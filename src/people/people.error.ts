import { defineProblem } from '../platform/errors/problem.js';

export const personNotFound = defineProblem({
  code: 'spend-person-not-found',
  status: 404,
  title: 'Person not found',
  explain: 'There is no person with this id. If two people were merged, use the id of the remaining person.',
});
export const unitNotFound = defineProblem({
  code: 'spend-unit-not-found',
  status: 404,
  title: 'Group or cost centre not found',
  explain:
    'There is no group or cost centre with this id, or the id is of the other kind. "spendUnits" lists all of them.',
});
export const identityNotFound = defineProblem({
  code: 'spend-identity-not-found',
  status: 404,
  title: 'Identity not found',
  explain: 'There is no vendor identity with this id. "spendIdentities" lists all of them.',
});
export const addressTaken = defineProblem({
  code: 'spend-address-taken',
  status: 409,
  title: 'Already assigned to another person',
  explain:
    'An email address, login or vendor user id belongs to exactly one person, so that usage has a unique owner. "detail" names the owner. Remove it from them first, or merge the two people if they are the same. Nothing was changed.',
});
export const followsAccount = defineProblem({
  code: 'spend-person-follows-account',
  status: 409,
  title: 'Managed by the member account',
  explain:
    'This person is a member. Their name, email address and removal follow the member account. Change the account instead.',
});
export const identityNotMatchable = defineProblem({
  code: 'spend-identity-nobodys',
  status: 409,
  title: 'Identity cannot be matched',
  explain:
    'The vendor uses this identity for usage that it does not attribute to anyone. It stays unattributed and counts in totals.',
});
export const notAnAnalyst = defineProblem({
  code: 'not-an-analyst',
  status: 409,
  title: 'Member is not an analyst',
  explain:
    'Only members with the role "analyst" can see individual usage. Assign the role first, then grant access to groups.',
});
export const listUnreadable = defineProblem({
  code: 'spend-list-unreadable',
  status: 400,
  title: 'List cannot be read',
  explain:
    'The file must be CSV in UTF-8, separated by commas, semicolons or tabs, and its first line must name the columns. "email" is required; "name", "group", "cost_centre" and "aliases" are optional. Nothing was changed.',
});
export const listFaulty = defineProblem({
  code: 'spend-list-faulty',
  status: 409,
  title: 'List has faulty lines',
  explain:
    'Some lines of the list cannot be imported. The preview lists them with reasons. Correct the lines, or import the list without them. Nothing was changed.',
});
export const listChanged = defineProblem({
  code: 'spend-list-changed',
  status: 409,
  title: 'Preview is outdated',
  explain:
    'The list or its people changed since the preview, so the import would differ from what you saw. Request a new preview. Nothing was changed.',
});
