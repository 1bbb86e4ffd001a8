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
  title: 'Nothing to settle',
  explain:
    'Only a call whose outcome nobody knows is settled, and once. Its present state is in "detail". Nothing was changed.',
});

export const callNotRepeatable = defineProblem({
  code: 'call-not-repeatable',
  status: 409,
  title: 'The call cannot be run again',
  explain:
    'A call is run again only as it was requested, by the policies of now. Its tool, its connection, its caller or a policy has changed, so that it would not be the same call. Settle it as happened or not, and have it requested anew.',
});
export const notAsShown = defineProblem({
  code: 'not-as-shown',
  status: 409,
  title: 'Not what was shown',
  explain:
    'Whoever approves a call says what they were shown: "argumentsHash" and "definitionHash" of the call, after all of its arguments were laid open. They are missing, or belong to something else. Nothing was decided.',
});

/** An administrator has paused the key, the agent, the configuration or the organization: whoever can wait tries again later. */
export class PausedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Paused';
  }
}

/** The task is another process's by now: nothing is decided, recorded or sent for this one any more. */
export class StaleLease extends Error {
  constructor(taskId: string) {
    super(`the lease of task ${taskId} is not the newest`);
    this.name = 'StaleLease';
  }
}
