import { defineProblem } from '../../platform/errors/problem.js';

export const findingNotFound = defineProblem({
  code: 'estate-finding-not-found',
  status: 404,
  title: 'Finding not found',
  explain: 'There is no finding with this id. Its file or server may have been removed.',
});
export const findingResolved = defineProblem({
  code: 'estate-finding-resolved',
  status: 409,
  title: 'Finding already resolved',
  explain:
    'At least one of the findings was resolved in the meantime, so nothing was changed. Dismiss only open findings.',
});
export const estateApprovalNotFound = defineProblem({
  code: 'estate-approval-not-found',
  status: 404,
  title: 'Approval not found',
  explain: 'There is no approval with this id, or it was already revoked.',
});
export const alreadyApproved = defineProblem({
  code: 'estate-already-approved',
  status: 409,
  title: 'Already approved',
  explain: 'The approved list already contains this value. To change its note, revoke the approval first.',
});
export const entryNotFound = defineProblem({
  code: 'estate-entry-not-found',
  status: 404,
  title: 'Entry not found',
  explain: 'No file has ever declared an entry with this id.',
});
