import { defineProblem } from '../platform/errors/problem.js';

export const approvalNotFound = defineProblem({
  code: 'approval-not-found',
  status: 404,
  title: 'Approval not found',
  explain:
    'There is no approval with this id that you may see. Approvals show to those who may decide them, to those who asked, and to auditors.',
});
export const approvalDecided = defineProblem({
  code: 'approval-decided',
  status: 409,
  title: 'Already decided',
  explain:
    'Somebody decided in the meantime, time ran out, or the call was withdrawn. An approval is decided once. Nothing was changed.',
});
export const notYoursToDecide = defineProblem({
  code: 'not-yours-to-decide',
  status: 403,
  title: 'Not yours to decide',
  explain:
    'The approval step names who decides. Who may is fixed when the call is requested, and nobody is added later. A requester never reviews, administrators included. Requesters are: the person who made the call, the member responsible for the agent, everybody who made or saw a key of the agent or registered the product that was used, and whoever invited one of these people, reset their password, reactivated them or configured their sign-in provider. A member whom a requester alone introduced does not review either, until a member whom that requester did not introduce, or the operator of the server, has vouched for them.',
});
export const reasonRequired = defineProblem({
  code: 'reason-required',
  status: 400,
  title: 'A denial needs a reason',
  explain:
    'The reason is told to the agent, so that it does not ask for the same again. Write one, of at most 1,000 characters.',
});
