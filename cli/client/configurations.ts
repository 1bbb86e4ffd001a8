import { CommandError } from '../command-error.js';
import type { CommandContext } from '../command-context.js';
import { environment } from '../environment.js';
import { exitCodes } from '../exit-codes.js';
import { canceled, isInteractive } from '../terminal/output.js';
import { plainText } from '../terminal/plain-text.js';
import { listAll } from './pages.js';
import type { ServerClient } from './server-client.js';
import type { UsableConfiguration } from './wire.js';

export const listConfigurations = (client: ServerClient): Promise<UsableConfiguration[]> =>
  listAll<'configurations', UsableConfiguration>(client, '/cli/configurations', 'configurations');

/** The configuration with this name or id, else the only one. Asks a person who may use several. */
export async function resolveConfiguration(
  { output }: CommandContext,
  client: ServerClient,
  option: string | undefined,
): Promise<UsableConfiguration> {
  const all = await listConfigurations(client);
  const wanted = option ?? environment.configuration();
  if (wanted !== undefined) {
    const found = all.filter(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
    if (found.length === 1) return found[0];
    throw new CommandError(
      exitCodes.usage,
      'configuration-not-found',
      found.length
        ? `Several configurations have the name "${wanted}". Use the id.`
        : `You may use no configuration "${wanted}". ${namesOf(all)}`,
    );
  }
  if (all.length === 1) return all[0];
  if (!all.length)
    throw new CommandError(
      exitCodes.unauthenticated,
      'no-configuration',
      'None of your groups may use a configuration. Ask an administrator.',
    );
  if (!isInteractive(output))
    throw new CommandError(
      exitCodes.usage,
      'configuration-required',
      `You may use several configurations. Name one with --configuration. ${namesOf(all)}`,
    );
  return askFor(all);
}

async function askFor(all: UsableConfiguration[]): Promise<UsableConfiguration> {
  const { isCancel, select } = await import('@clack/prompts');
  const options = all.map((one) => ({ value: one, label: plainText(one.name), hint: plainText(one.description) }));
  const chosen = await select({ message: 'Which configuration?', options, output: process.stderr });
  if (isCancel(chosen)) throw canceled();
  return chosen;
}

const namesOf = (all: UsableConfiguration[]): string =>
  all.length ? `You may use: ${all.map(({ name }) => name).join(', ')}.` : 'None of your groups may use one.';
