import { defineProblem } from '../platform/errors/problem.js';

export const permitProposalNotFound = defineProblem({
  code: 'permit-proposal-not-found',
  status: 404,
  title: 'Permit proposal not found',
  explain: 'There is no such proposal. It may have been withdrawn because its calls or the policies changed.',
});
export const permitProposalClosed = defineProblem({
  code: 'permit-proposal-closed',
  status: 409,
  title: 'Permit proposal is closed',
  explain: 'Someone has already added the proposal to the draft, or dismissed it.',
});
export const permitProposalObsolete = defineProblem({
  code: 'permit-proposal-obsolete',
  status: 409,
  title: 'Permit proposal no longer applies',
  explain: 'The approvals, the tool, or the policies changed since the proposal was made. No draft was saved.',
});
