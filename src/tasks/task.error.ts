import { defineProblem } from '../platform/errors/problem.js';

export const taskNotFound = defineProblem({
  code: 'task-not-found',
  status: 404,
  title: 'Task not found',
  explain:
    'You have no task with this id. A task belongs to the agent identity whose key sent it, or to the person together with the product; somebody else’s task looks the same as one that never was. Tasks are kept for 90 days after their end unless the operator chose otherwise.',
});
export const taskExists = defineProblem({
  code: 'task-exists',
  status: 409,
  title: 'There is already a task with this id',
  explain:
    'The id was used before with another message, and that task is not waiting for information. Sending the same body again is always safe and returns the task; for a new task choose a new id.',
});
export const taskNotQuarantined = defineProblem({
  code: 'task-not-quarantined',
  status: 409,
  title: 'The task is not quarantined',
  explain: 'Only a task that is quarantined can be retried. Others go on by themselves.',
});
export const taskNotCancelable = defineProblem({
  code: 'task-not-cancelable',
  status: 409,
  title: 'The task has already ended',
  explain: 'A task that is completed, failed, rejected or canceled keeps its state.',
});
