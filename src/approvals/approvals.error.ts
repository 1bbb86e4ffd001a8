import { problem } from '../platform/errors/problem.js';

export const approvalNotFound = problem({
  code: 'approval-not-found',
  status: 404,
  title: 'Approval not found',
  explain:
    'There is no approval with this id that you may see. Approvals show to those who may decide them, to those who asked, and to auditors.',
});
export const approvalDecided = problem({
  code: 'approval-decided',
  status: 409,
  title: 'Already decided',
  explain:
    'Somebody decided in the meantime, time ran out, or the call was withdrawn. An approval is decided once. Nothing was changed.',
});
export const notYoursToDecide = problem({
  code: 'not-yours-to-decide',
  status: 403,
  title: 'Not yours to decide',
  explain:
    'Deciding is for the people that the approval step names. Whoever asked for a call, or answers for the agent that did, never reviews it, administrators included; and a membership has to be older than the request. Who makes a link by which somebody chooses a new password could use it themselves: for a day both count as one person. Whom such a person has invited within a day decides only where there is nobody else.',
});
export const reasonRequired = problem({
  code: 'reason-required',
  status: 400,
  title: 'A denial needs a reason',
  explain:
    'The reason is told to the agent, so that it does not ask for the same again. Write one, of at most 1,000 characters.',
});
