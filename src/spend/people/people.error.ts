import { defineProblem } from '../../platform/errors/problem.js';

export const personNotFound = defineProblem({
  code: 'spend-person-not-found',
  status: 404,
  title: 'Person not found',
  explain:
    'Nobody with this id is known to spend. Two people that turned out to be one have the id of the one who stayed.',
});
export const unitNotFound = defineProblem({
  code: 'spend-unit-not-found',
  status: 404,
  title: 'Group or cost centre not found',
  explain: 'There is no such group or cost centre of spend, or it is the other of the two.',
});
export const identityNotFound = defineProblem({
  code: 'spend-identity-not-found',
  status: 404,
  title: 'Identity not found',
  explain: 'No vendor of yours named anybody by this number. "spendIdentities" lists whom they named.',
});
export const addressTaken = defineProblem({
  code: 'spend-address-taken',
  status: 409,
  title: 'Already somebody else’s',
  explain:
    'An address, a login or a vendor’s number belongs to one person: else nobody could say whose usage it is. "detail" names whose it is. Take it from them first, or make the two people one if they are the same. Nothing was changed.',
});
export const followsAccount = defineProblem({
  code: 'spend-person-follows-account',
  status: 409,
  title: 'Follows the account',
  explain:
    'This person is a member: name, address and whether they are there are those of their account. Change the account instead; the person follows it.',
});
export const identityNotMatchable = defineProblem({
  code: 'spend-identity-nobodys',
  status: 409,
  title: 'Of more than one person',
  explain:
    'Here the vendor counts what it does not attribute to anybody, of whoever it was. It stays unattributed, and counts in the totals.',
});
export const notAnAnalyst = defineProblem({
  code: 'not-an-analyst',
  status: 409,
  title: 'No analyst',
  explain:
    'Single people’s figures are for members with the role "analyst". Give the role first; then name the groups whose people they see.',
});
export const listUnreadable = defineProblem({
  code: 'spend-list-unreadable',
  status: 400,
  title: 'No list of people',
  explain:
    'The file is no list: CSV in UTF-8, separated by commas, semicolons or tabs, whose first line names the columns. "email" has to be one of them; "name", "group", "cost_centre" and "aliases" may be. Nothing was changed.',
});
export const listFaulty = defineProblem({
  code: 'spend-list-faulty',
  status: 409,
  title: 'Some lines are wrong',
  explain:
    'Lines of the list cannot be followed; the preview names each with its reason. Correct them, or say that they are to be left out. Nothing was changed.',
});
export const listChanged = defineProblem({
  code: 'spend-list-changed',
  status: 409,
  title: 'Not what was previewed',
  explain:
    'The list, or the people it is about, changed since the preview: it would do something else than you were shown. Look at a new preview. Nothing was changed.',
});
