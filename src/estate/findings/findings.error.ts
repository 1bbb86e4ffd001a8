import { defineProblem } from '../../platform/errors/problem.js';

export const findingNotFound = defineProblem({
  code: 'estate-finding-not-found',
  status: 404,
  title: 'Finding not found',
  explain: 'No such finding exists. Its subject may have been removed permanently.',
});
export const findingResolved = defineProblem({
  code: 'estate-finding-resolved',
  status: 409,
  title: 'Finding already resolved',
  explain: 'The finding was resolved in the meantime, so there is nothing to dismiss. Nothing was changed.',
});
export const estateApprovalNotFound = defineProblem({
  code: 'estate-approval-not-found',
  status: 404,
  title: 'Approved entry not found',
  explain: 'The list of approved servers has no such line, or it was already removed.',
});
export const alreadyApproved = defineProblem({
  code: 'estate-already-approved',
  status: 409,
  title: 'Already approved',
  explain: 'The list already has this line. To change its note, remove the line first.',
});
export const entryNotFound = defineProblem({
  code: 'estate-entry-not-found',
  status: 404,
  title: 'Entry not found',
  explain: 'No file declares, or has ever declared, an entry with this id.',
});
