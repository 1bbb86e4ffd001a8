import { defineProblem } from '../platform/errors/problem.js';

export const callNotFound = defineProblem({
  code: 'call-not-found',
  status: 404,
  title: 'Call not found',
  explain: 'There is no tool call with this id that you may see.',
});
export const callNotUnsettled = defineProblem({
  code: 'call-not-unsettled',
  status: 409,
  title: 'The call has no unknown outcome',
  explain:
    'You can resolve only a call with an unknown outcome, and only once. "detail" contains its current state. Nothing was changed.',
});

export const callNotRepeatable = defineProblem({
  code: 'call-not-repeatable',
  status: 409,
  title: 'The call cannot be run again',
  explain:
    'The tool, the connection, the caller or a policy has changed, so it would no longer be the same call. Find out whether the call took effect, resolve it as "happened" or "did_not_happen", and have it requested again.',
});
export const notAsShown = defineProblem({
  code: 'not-as-shown',
  status: 409,
  title: 'The hashes do not match the call',
  explain:
    'An approval must state what the approver saw: "argumentsHash" and "definitionHash" of the call, after all of its arguments were revealed. They are missing or do not match. Nothing was decided. Load the call again, reveal all of it, and approve with its hashes.',
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
