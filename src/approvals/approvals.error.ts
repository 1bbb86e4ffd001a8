import { defineProblem, type Problem } from '../platform/errors/problem.js';
import type { ActionRefusal, ApprovalState } from './approval-state.js';

export const approvalNotFound = defineProblem({
  code: 'approval-not-found',
  status: 404,
  title: 'Approval not found',
  explain:
    'No approval with this id is visible to you. Approvals are visible to their approvers, requesters and auditors.',
});
export const approvalDecided = defineProblem({
  code: 'approval-decided',
  status: 409,
  title: 'Approval already decided',
  explain:
    'The approval was decided, expired or voided in the meantime. An approval is decided only once. Nothing was changed.',
});
export const approvalWaiting = defineProblem({
  code: 'approval-waiting',
  status: 409,
  title: 'Approval step not open yet',
  explain:
    'The steps of a call are decided in order. This step opens once the steps before it are approved. Nothing was changed.',
});
export const notYoursToDecide = defineProblem({
  code: 'not-yours-to-decide',
  status: 403,
  title: "You can't decide this approval",
  explain:
    'The approval step names its approvers. Eligible approvers are fixed when the call is requested; none are added later. Requesters never review their own calls, administrators included. Requesters are the person who made the call, the member responsible for the agent, everyone who created or saw a key of the agent or registered the product, and everyone who invited one of these people, reset their password, reactivated them or configured their sign-in provider. A member introduced only by a requester cannot review either, until an independent member or the operator of the server has vouched for them.',
});
export const approvalPasskeyRequired = defineProblem({
  code: 'approval-passkey-required',
  status: 403,
  title: 'Passkey required',
  explain:
    'Decisions on this approval step are signed with a passkey, on the page of the approval in the console. Nothing was decided.',
});
export const approvalPasskeyRefused = defineProblem({
  code: 'approval-passkey-refused',
  status: 403,
  title: 'Passkey not accepted',
  explain:
    'The passkey signed another call or decision, was registered after the call was requested, or its response has expired or was already used. Open the approval again and repeat the decision. Nothing was decided.',
});
export const approvalLinkRefused = defineProblem({
  code: 'approval-link-refused',
  status: 403,
  title: "This link can't be used",
  explain:
    'Links in notifications work once, for the member they were sent to, until the approval expires. Open the approval in the console instead. Nothing was decided.',
});
export const reasonRequired = defineProblem({
  code: 'reason-required',
  status: 400,
  title: 'Reason required',
  explain:
    'The agent receives the reason, so that it does not request the same call again. Enter a reason of at most 1,000 characters.',
});

/** Why no one can decide on an approval in this state. */
export function undecidable(refusal: ActionRefusal, state: ApprovalState): Problem {
  switch (refusal) {
    case 'waiting':
      return approvalWaiting('Another step of this call has to be approved first.');
    case 'expired':
      return approvalDecided('This approval has expired.');
    case 'already-approved':
      return approvalDecided('You have already approved this call. It waits for other members.');
    default:
      return approvalDecided(`This approval is already ${state}.`);
  }
}
