import { listConfigurations } from '../client/configurations.js';
import type { CommandContext } from '../command-context.js';
import { plainText } from '../terminal/plain-text.js';
import { tableLines } from '../terminal/table.js';

export async function configurations({ output, server }: CommandContext): Promise<void> {
  const all = await listConfigurations(await server());
  output.json({ configurations: all });
  if (!all.length) return output.line('No configurations. None of your groups may use one: ask an administrator.');
  const rows = all.map(({ id, name, description, isPaused }) => [
    output.color('bold', plainText(name)),
    output.color('dim', id),
    isPaused ? output.color('yellow', 'paused') : plainText(description),
  ]);
  for (const line of tableLines(rows)) output.line(line);
}
