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
