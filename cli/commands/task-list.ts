import type { Task } from '../client/wire.js';
import type { CommandContext } from '../command-context.js';
import { plainText, timeText } from '../terminal/plain-text.js';
import { tableLines } from '../terminal/table.js';
import { stateText } from './task-text.js';

export async function listTasks(
  { output, server }: CommandContext,
  { state, limit }: { state?: string; limit: string },
): Promise<void> {
  const query = new URLSearchParams({ limit, ...(state === undefined ? {} : { state }) });
  const { tasks } = await (await server()).getJson<{ tasks: Task[] }>(`/cli/tasks?${query}`);
  output.json({ tasks });
  if (!tasks.length) return output.line('No tasks.');
  const rows = tasks.map(({ id, status, updatedAt }) => [
    output.color('bold', plainText(id)),
    stateText(output, status),
    `${timeText(updatedAt)} UTC`,
  ]);
  for (const line of tableLines(rows)) output.line(line);
}

export async function cancelTask({ output, server }: CommandContext, id: string): Promise<void> {
  const task = await (await server()).postJson<Task>(`/cli/tasks/${encodeURIComponent(id)}/cancel`, undefined);
  output.json(task);
  output.line(`Canceled ${plainText(task.id)}.`);
}
