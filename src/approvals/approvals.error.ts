import { defineProblem } from '../platform/errors/problem.js';

export const approvalNotFound = defineProblem({
  code: 'approval-not-found',
  status: 404,
  title: 'Approval not found',
  explain:
    'There is no approval with this id that you can see. Approvals are visible to members who can decide on them, to requesters, and to auditors.',
});
export const approvalDecided = defineProblem({
  code: 'approval-decided',
  status: 409,
  title: 'Already decided',
  explain:
    'Another member decided first, the approval expired, or the call was withdrawn. An approval is decided only once. Nothing was changed.',
});
export const notYoursToDecide = defineProblem({
  code: 'not-yours-to-decide',
  status: 403,
  title: 'You cannot decide on this approval',
  explain:
    'The approval step names who can decide. They are determined when the call is requested, and no one is added later. Requesters, including administrators, can never review. Requesters are: the person who made the call; the member responsible for the agent; everyone who created or saw a key of the agent or registered the client that was used; and everyone who invited one of these people, reset their password, reactivated them or configured their sign-in provider. A member introduced only by a requester cannot review either, until the operator of the server, or a member whom that requester did not introduce, vouches for them.',
});
export const reasonRequired = defineProblem({
  code: 'reason-required',
  status: 400,
  title: 'A denial requires a reason',
  explain:
    'The agent receives the reason, so that it does not request the same call again. Enter a reason of at most 1,000 characters.',
});
