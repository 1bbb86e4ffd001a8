import { toolNotFound } from '../connections/connections.error.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { type Problem, defineProblem } from '../platform/errors/problem.js';
import type { CallOutcome } from './outcome.js';
import type { DenialCode } from './refusal.js';

/* Outcomes of calls as problems, for callers who expect a result. */

const denialProblem = (code: DenialCode, title: string, explain: string) =>
  defineProblem({ code, status: 403, title, explain });

const deniedAgainHint = 'The same call is denied again until the policies, the tool or its connection change.';

export const policyDenied = denialProblem(
  'policy-denied',
  'The policies do not allow this call',
  `The organization’s policies deny the call with these arguments; "detail" names the rule. ${deniedAgainHint} An administrator can change the policies.`,
);
export const approvalDenied = denialProblem(
  'approval-denied',
  'The call was not approved',
  `A person denied the call, or the approved call changed before it ran. The reason is in "detail". ${deniedAgainHint}`,
);
export const approvalExpired = denialProblem(
  'approval-expired',
  'The approval expired',
  'No one decided on the call before its approval expired. Nothing was done; you can make the call again.',
);
export const approvalUnreachable = denialProblem(
  'approval-unreachable',
  'No one can decide on this call',
  'The policies require an approval, but the approval step names no one who is independent of every requester of the call. Ask an administrator to add an approver whom no requester introduced, or ask someone independent (another member, or the operator of the server) to vouch for an approver.',
);
export const notPermitted = denialProblem(
  'not-permitted',
  'Not permitted now',
  'You can no longer use this configuration, or you have too many calls waiting for approval; "detail" says which.',
);
export const gatePaused = defineProblem({
  code: 'paused',
  status: 409,
  title: 'Paused',
  explain:
    'An administrator has paused the tool, its connection, the configuration or the organization, or has not yet reviewed a changed tool. Nothing was executed. Try again later.',
});
export const upstreamFailed = defineProblem({
  code: 'upstream-failed',
  status: 502,
  title: 'Connected system failed',
  explain:
    'The call was sent and failed in the connected system. "detail" contains its message. The call had no effect.',
});
export const outcomeUnsettled = defineProblem({
  code: 'outcome-unsettled',
  status: 502,
  title: 'Unknown outcome',
  explain:
    'The call was sent and may have taken effect. It is not repeated automatically: a member of the organization checks and resolves it. Then GET /v1/calls/{id} returns the outcome.',
});
export { toolNotFound };

const problemsByCode = {
  'policy-denied': policyDenied,
  'approval-denied': approvalDenied,
  'approval-expired': approvalExpired,
  'approval-unreachable': approvalUnreachable,
  withdrawn: approvalDenied,
  'not-permitted': notPermitted,
  paused: gatePaused,
  'tool-not-found': toolNotFound,
} as const;

type UnsuccessfulOutcome = Extract<CallOutcome, { state: 'denied' | 'failed' | 'unsettled' }>;

/**
 * `at`: the JSON pointer to the arguments in the request. Each surface reports an insufficient scope itself, because
 * only it knows which scope to request.
 */
export function toOutcomeProblem(outcome: UnsuccessfulOutcome, at: string): Problem {
  const { callId, reason } = outcome;
  const extra = { callId };
  if (outcome.state === 'failed') return upstreamFailed(reason, { extra });
  if (outcome.state === 'unsettled') return outcomeUnsettled(reason, { extra });
  if (outcome.code === 'invalid-arguments') {
    const errors = outcome.faults?.map(({ pointer, detail }) => ({ pointer: at + pointer, detail }));
    return invalidRequest(reason, { errors, extra });
  }
  if (outcome.code === 'insufficient-scope') throw new Error('the surface has to report an insufficient scope');
  return problemsByCode[outcome.code](reason, { extra });
}
