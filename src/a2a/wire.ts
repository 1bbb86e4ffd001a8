import type { Said, TaskPage, TaskView } from '../tasks/tasks.service.js';
import { isTerminal } from '../tasks/task.entity.js';
import type { TaskUpdate } from '../tasks/task-feed.service.js';

/* From tasks to the wire of the specification. */

export const taskOnWire = ({ id, status, artifacts }: TaskView, history?: Said[]) => ({
  id,
  status,
  ...(artifacts && status.state === 'completed' ? { artifacts } : {}),
  ...(history ? { history } : {}),
});

export const listOnWire = ({ tasks, nextCursor }: TaskPage) => ({
  tasks: tasks.map((task) => taskOnWire(task)),
  nextCursor,
});

/** One `task_update` of a stream. Of a task under way, `chunk` is the piece of an artifact that it brings. */
export const updateOnWire = (id: string, { number, status, artifacts, chunk }: TaskUpdate) => ({
  event: 'task_update',
  id: number,
  data: JSON.stringify({
    id,
    status,
    ...(artifacts ? { artifacts } : {}),
    ...(chunk ? { chunk } : {}),
    final: isTerminal(status.state),
  }),
});
