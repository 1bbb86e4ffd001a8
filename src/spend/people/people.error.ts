import { defineProblem } from '../../platform/errors/problem.js';

export const personNotFound = defineProblem({
  code: 'spend-person-not-found',
  status: 404,
  title: 'Person not found',
  explain: 'No person in spend has this id. After two people are merged, only the id of the remaining one is valid.',
});
export const unitNotFound = defineProblem({
  code: 'spend-unit-not-found',
  status: 404,
  title: 'Group or cost center not found',
  explain: 'No such group or cost center exists in spend, or the id belongs to the other type.',
});
export const identityNotFound = defineProblem({
  code: 'spend-identity-not-found',
  status: 404,
  title: 'Identity not found',
  explain: 'None of your vendors reported an identity with this id. "spendIdentities" lists the reported ones.',
});
export const addressTaken = defineProblem({
  code: 'spend-address-taken',
  status: 409,
  title: 'Already assigned to another person',
  explain:
    'An address, login or vendor id belongs to exactly one person. "detail" names the owner. Remove it from that person first, or merge the two people if they are the same. Nothing was changed.',
});
export const followsAccount = defineProblem({
  code: 'spend-person-follows-account',
  status: 409,
  title: 'Managed by the account',
  explain: 'This person is a member, so name, address and status come from their account. Change the account instead.',
});
export const identityNotMatchable = defineProblem({
  code: 'spend-identity-nobodys',
  status: 409,
  title: 'Usage of several people',
  explain:
    'The vendor reports unattributed usage under this identity. It cannot be matched to one person and counts in the totals.',
});
export const notAnAnalyst = defineProblem({
  code: 'not-an-analyst',
  status: 409,
  title: 'Not an analyst',
  explain:
    'Individual usage is visible only to members with the role "analyst". Assign the role first, then select the groups whose people they can see.',
});
export const listUnreadable = defineProblem({
  code: 'spend-list-unreadable',
  status: 400,
  title: 'Not a list of people',
  explain:
    'The file must be CSV in UTF-8, separated by commas, semicolons or tabs. Its first line names the columns: "email" is required; "name", "group", "cost_centre" and "aliases" are optional. Nothing was changed.',
});
export const listFaulty = defineProblem({
  code: 'spend-list-faulty',
  status: 409,
  title: 'List has errors',
  explain:
    'Some lines cannot be imported; the preview lists each with its reason. Correct them, or choose to skip them. Nothing was changed.',
});
export const listChanged = defineProblem({
  code: 'spend-list-changed',
  status: 409,
  title: 'List changed after the preview',
  explain:
    'The list, or the people in it, changed after the preview, so the import would differ from what you saw. Create a new preview. Nothing was changed.',
});
