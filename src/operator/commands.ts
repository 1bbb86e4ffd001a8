import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { Config } from '../platform/config/config.js';
import { addAdminCommands } from './admin.commands.js';
import { backUpTo, restoreFrom } from './backup.command.js';
import type { CommandEnvironment } from './command-application.js';
import { addOauthCommands } from './oauth.commands.js';
import { checkUpgrade } from './upgrade.command.js';

/** The operator's command line. */
export function operatorCommands(environment: CommandEnvironment): Command {
  const { print, databaseSchema } = environment;
  const program = new Command('countersign-operator').description(
    "The operator's commands. Like the server, they need the address of the database and the master key.",
  );

  addAdminCommands(program.command('admin').description('organizations, access links, lost keys'), environment);

  addOauthCommands(program.command('oauth').description('keys of the authorization server'), environment);

  program
    .command('backup')
    .description('write all rows to a new file, without the master key')
    .argument('<file>', 'for example countersign-2026-11-20.backup.gz')
    .action(async (file: string) => {
      if (existsSync(file)) throw new Error(`${file} already exists`);
      print(`${await backUpTo(Config.from(), file)} rows written to ${file}. Store the master key separately.`);
    });

  program
    .command('restore')
    .description('fill an empty database from a backup')
    .argument('<file>')
    .action(async (file: string) =>
      print(
        `${await restoreFrom(Config.from(), file, databaseSchema)} rows restored. Start the server with the master key from the time of the backup.`,
      ),
    );

  program
    .command('upgrade')
    .description('show what the next start will change in the database')
    .requiredOption('--check', 'check only; migrations run when the server starts')
    .action(async () => {
      const { server, pending, unknown } = await checkUpgrade(Config.from(), databaseSchema);
      print(`PostgreSQL ${server}`);
      if (unknown.length)
        throw new Error(`A newer version has migrated the database. This version does not know ${unknown.join(', ')}.`);
      for (const name of pending) print(`will apply ${name}`);
      print(
        pending.length
          ? `${pending.length} migrations to apply. Take a backup, then start the server.`
          : 'The database is up to date.',
      );
    });

  return program;
}
