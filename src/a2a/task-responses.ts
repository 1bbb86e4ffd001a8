import type { HistoryMessage, TaskPage, TaskView } from '../tasks/tasks.service.js';
import { isTerminal } from '../tasks/task.entity.js';
import type { TaskUpdate } from '../tasks/task-feed.service.js';

/* Maps tasks to the wire format of the specification. */

export const toTaskResponse = ({ id, status, artifacts }: Omit<TaskView, 'number'>, history?: HistoryMessage[]) => ({
  id,
  status,
  ...(artifacts && status.state === 'completed' ? { artifacts } : {}),
  ...(history ? { history } : {}),
});

export const toTaskListResponse = ({ tasks, nextCursor }: TaskPage) => ({
  tasks: tasks.map((task) => toTaskResponse(task)),
  nextCursor,
});

/** One `task_update` of a stream. `chunk`: a piece of an artifact of a running task. */
export const toTaskUpdateEvent = (id: string, { number, status, artifacts, chunk }: TaskUpdate) => ({
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
