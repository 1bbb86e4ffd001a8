import { defineProblem } from '../platform/errors/problem.js';

export const taskNotFound = defineProblem({
  code: 'task-not-found',
  status: 404,
  title: 'Task not found',
  explain:
    'You have no task with this id. A task belongs to the agent identity whose key sent it, or to the person and the product they used; tasks of others are reported as not found. Tasks are stored for 90 days after they end unless the operator has configured another period.',
});
export const taskExists = defineProblem({
  code: 'task-exists',
  status: 409,
  title: 'Task id already in use',
  explain:
    'The id was already used with another message, and that task is not waiting for information. Repeating the same request is always safe and returns the task. For a new task, choose a new id.',
});
export const taskNotQuarantined = defineProblem({
  code: 'task-not-quarantined',
  status: 409,
  title: 'The task is not quarantined',
  explain: 'Only quarantined tasks can be retried. Other tasks continue automatically.',
});
export const taskNotCancelable = defineProblem({
  code: 'task-not-cancelable',
  status: 409,
  title: 'The task has already ended',
  explain: 'A completed, failed, rejected or canceled task cannot be canceled. To run it again, submit a new task.',
});
