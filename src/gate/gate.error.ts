import { defineProblem } from '../platform/errors/problem.js';

export const callNotFound = defineProblem({
  code: 'call-not-found',
  status: 404,
  title: 'Call not found',
  explain: 'No tool call with this id is visible to you.',
});
export const callNotUnsettled = defineProblem({
  code: 'call-not-unsettled',
  status: 409,
  title: 'Outcome already known',
  explain:
    'Only calls with an unknown outcome can be resolved, and only once. "detail" contains the current state. Nothing was changed.',
});

export const callNotRepeatable = defineProblem({
  code: 'call-not-repeatable',
  status: 409,
  title: 'Call cannot be run again',
  explain:
    'A call can be run again only exactly as it was requested, under the current policies. Its tool, connection, caller or a policy has changed. Mark it as executed or not executed, and have it requested again.',
});
export const notAsShown = defineProblem({
  code: 'not-as-shown',
  status: 409,
  title: 'Call differs from what was shown',
  explain:
    'To approve a call, send the "argumentsHash" and "definitionHash" that you were shown, after all arguments were visible. They are missing or do not match. Nothing was decided.',
});

export const argumentsUnreadable = defineProblem({
  code: 'arguments-unreadable',
  status: 409,
  title: 'Arguments cannot be decrypted',
  explain:
    'The stored arguments of the call are damaged or encrypted with another master key, so no one can see what it would do. It cannot be approved or overridden; it can be denied. If you replaced the master key, add the former key to MASTER_KEYS. Nothing was decided.',
});

export const invalidEdit = defineProblem({
  code: 'invalid-edit',
  status: 400,
  title: 'Edited arguments are not valid',
  explain:
    'The edited arguments are not JSON, do not match the input schema of the tool, or are the same as before. "errors" lists each place with a JSON pointer. Nothing was changed.',
});
export const callNotEditable = defineProblem({
  code: 'call-not-editable',
  status: 409,
  title: "Call can't be edited",
  explain:
    'Arguments can be edited while the call waits for an approval, if the approval step allows it and the tool, its connection and the caller have not changed. A call that was sent before is not edited, and an edit does not end a call whose step requires a passkey. Nothing was changed.',
});
export const editUnreachable = defineProblem({
  code: 'edit-unreachable',
  status: 409,
  title: 'No one else can approve the edited call',
  explain:
    'The editor becomes a requester of the call and cannot approve it. Too few other members can decide on the steps that the edited call needs. Nothing was changed.',
});

export const taskGrantNotPossible = defineProblem({
  code: 'task-grant-not-possible',
  status: 409,
  title: "Further calls can't be allowed",
  explain:
    'A task grant needs a call in a task, approval steps that allow it, the vote of every approver of the call, and at least one argument that stays the same. It is never possible for destructive tools. Nothing was decided.',
});
export const taskGrantNotAsShown = defineProblem({
  code: 'task-grant-not-as-shown',
  status: 409,
  title: 'Other terms were proposed',
  explain:
    'Another approver proposed a task grant with other terms. Approve with exactly these terms, or approve this call only, which declines the grant. Nothing was decided.',
});
export const taskGrantNotFound = defineProblem({
  code: 'task-grant-not-found',
  status: 404,
  title: 'Task grant not found',
  explain:
    'No task grant with this id exists that you can revoke. Approvers of its call and administrators can revoke it.',
});

/** An administrator paused the key, the agent, the configuration or the organization. A task retries later. */
export class PausedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Paused';
  }
}

/** Another process has taken over the task: this one decides, records and sends nothing more for it. */
export class StaleLease extends Error {
  constructor(taskId: string) {
    super(`the lease of task ${taskId} is not the newest`);
    this.name = 'StaleLease';
  }
}
