import { defineProblem } from '../../platform/errors/problem.js';

export const findingNotFound = defineProblem({
  code: 'estate-finding-not-found',
  status: 404,
  title: 'Finding not found',
  explain: 'There is no such finding here. What it was about may have been removed for good.',
});
export const findingResolved = defineProblem({
  code: 'estate-finding-resolved',
  status: 409,
  title: 'Not there any more',
  explain: 'The finding was resolved in the meantime: nothing is left to be dismissed. Nothing was changed.',
});
export const estateApprovalNotFound = defineProblem({
  code: 'estate-approval-not-found',
  status: 404,
  title: 'Not on the approved list',
  explain: 'There is no such line on the list of approved servers, or it was taken off it already.',
});
export const alreadyApproved = defineProblem({
  code: 'estate-already-approved',
  status: 409,
  title: 'Approved already',
  explain: 'The list has this line. Take it off first if the note is to be another one.',
});
export const entryNotFound = defineProblem({
  code: 'estate-entry-not-found',
  status: 404,
  title: 'Entry not found',
  explain: 'No file declares, or ever declared, an entry with this id.',
});
