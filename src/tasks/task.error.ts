import { defineProblem } from '../platform/errors/problem.js';

export const taskNotFound = defineProblem({
  code: 'task-not-found',
  status: 404,
  title: 'Task not found',
  explain:
    'You have no task with this id. A task belongs to the agent identity whose key sent it, or to the person and product that created it. Tasks are stored for 90 days after they end, unless the operator changed this.',
});
export const unknownTask = (id: string) => taskNotFound(`The task "${id.slice(0, 128)}" was not found.`);

export const taskExists = defineProblem({
  code: 'task-exists',
  status: 409,
  title: 'Task id already in use',
  explain:
    'The id was used with a different message, and that task is not waiting for input. Sending the same body again is safe and returns the task. Use a new id for a new task.',
});
export const taskNotQuarantined = defineProblem({
  code: 'task-not-quarantined',
  status: 409,
  title: 'Task not quarantined',
  explain: 'Only quarantined tasks can be retried. Other tasks continue automatically.',
});
export const taskNotCancelable = defineProblem({
  code: 'task-not-cancelable',
  status: 409,
  title: 'Task already ended',
  explain: 'Completed, failed, rejected and canceled tasks keep their state.',
});
