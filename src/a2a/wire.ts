import type { Said, TaskPage, TaskView } from '../tasks/tasks.service.js';
import { isTerminal } from '../tasks/task.entity.js';
import type { TaskUpdate } from '../tasks/task-feed.service.js';

/* From tasks to the wire of the specification. */

export const taskOnWire = ({ id, status, artifacts }: TaskView, history?: Said[]) => ({
  id,
  status,
  ...(artifacts ? { artifacts } : {}),
  ...(history ? { history } : {}),
});

export const listOnWire = ({ tasks, nextCursor }: TaskPage) => ({
  tasks: tasks.map((task) => taskOnWire(task)),
  nextCursor,
});

/** One `task_update` of a stream. */
export const updateOnWire = (id: string, { number, status, artifacts }: TaskUpdate) => ({
  event: 'task_update',
  id: number,
  data: JSON.stringify({ id, status, ...(artifacts ? { artifacts } : {}), final: isTerminal(status.state) }),
});
