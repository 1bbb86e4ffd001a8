import { toolNotFound } from '../connections/connections.error.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { type Problem, defineProblem } from '../platform/errors/problem.js';
import type { CallOutcome } from './outcome.js';
import type { DenialCode } from './refusal.js';

/* What a call came to, for callers who wait for a result: everything but a result is a problem. */

const denialProblem = (code: DenialCode, title: string, explain: string) =>
  defineProblem({ code, status: 403, title, explain });

const deniedAgainHint = 'Sent again, the call is denied again until something has changed.';

export const policyDenied = denialProblem(
  'policy-denied',
  'The policies do not allow this call',
  `The organization’s policies deny the call with these arguments; "detail" says which rule. ${deniedAgainHint} An administrator can change the policies.`,
);
export const approvalDenied = denialProblem(
  'approval-denied',
  'The call was not approved',
  `A person decided against the call, or what was approved changed before it ran. The reason is in "detail". ${deniedAgainHint}`,
);
export const approvalExpired = denialProblem(
  'approval-expired',
  'Nobody decided in time',
  'The call waited for a person until its approval ran out. Nothing was done; the call can be made again.',
);
export const approvalUnreachable = denialProblem(
  'approval-unreachable',
  'Nobody may decide on this call',
  'The policies ask for an approval, and the approval step names nobody who is independent of everybody that requested the call. An administrator adds an approver whom no requester introduced, or somebody independent (another member, or the operator of the server) vouches for an approver.',
);
export const notPermitted = denialProblem(
  'not-permitted',
  'Not permitted now',
  'Whoever asks may not use this configuration any more, or has too many calls that wait for a decision; "detail" says which.',
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

/** `at`: where the arguments stand in the request. A scope that is too narrow is the surface's to tell: it knows what to ask for. */
export function toOutcomeProblem(outcome: UnsuccessfulOutcome, at: string): Problem {
  const { callId, reason } = outcome;
  const extra = { callId };
  if (outcome.state === 'failed') return upstreamFailed(reason, { extra });
  if (outcome.state === 'unsettled') return outcomeUnsettled(reason, { extra });
  if (outcome.code === 'invalid-arguments') {
    const errors = outcome.faults?.map(({ pointer, detail }) => ({ pointer: at + pointer, detail }));
    return invalidRequest(reason, { errors, extra });
  }
  if (outcome.code === 'insufficient-scope') throw new Error('the surface tells of scopes');
  return problemsByCode[outcome.code](reason, { extra });
}
