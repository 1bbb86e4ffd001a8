import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { Config } from '../platform/config/config.js';
import { addAdminCommands } from './admin.commands.js';
import { backUpTo, restoreFrom } from './backup.command.js';
import type { CommandEnvironment } from './command-application.js';
import { addOauthCommands } from './oauth.commands.js';
import { checkUpgrade } from './upgrade.command.js';

/** What the operator types. */
export function operatorCommands(environment: CommandEnvironment): Command {
  const { print, databaseSchema } = environment;
  const program = new Command('countersign').description(
    "The operator's commands. They need the database's address and the master key, as the server does.",
  );

  addAdminCommands(program.command('admin').description('organizations, ways in, lost keys'), environment);

  addOauthCommands(program.command('oauth').description("the authorization server's keys"), environment);

  program
    .command('backup')
    .description('write every row to a new file; the master key is not in it')
    .argument('<file>', 'such as countersign-2026-11-20.backup.gz')
    .action(async (file: string) => {
      if (existsSync(file)) throw new Error(`${file} exists already`);
      print(`${await backUpTo(Config.from(), file)} rows written to ${file}. Keep the master key apart from it.`);
    });

  program
    .command('restore')
    .description('fill an empty database from a backup')
    .argument('<file>')
    .action(async (file: string) =>
      print(
        `${await restoreFrom(Config.from(), file, databaseSchema)} rows restored. Start the server with the master key of that time.`,
      ),
    );

  program
    .command('upgrade')
    .description('what the next start will change in the database')
    .requiredOption('--check', 'only look; migrations run at the start of the server')
    .action(async () => {
      const { server, pending, unknown } = await checkUpgrade(Config.from(), databaseSchema);
      print(`PostgreSQL ${server}`);
      if (unknown.length)
        throw new Error(`Another version has migrated the database: this one does not know ${unknown.join(', ')}.`);
      for (const name of pending) print(`will apply ${name}`);
      print(
        pending.length
          ? `${pending.length} migrations to apply. Take a backup, then start the server.`
          : 'The database is of this version.',
      );
    });

  return program;
}
