import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { databaseSchema } from './migrations.js';
import type { CommandApplication } from './operator/command-application.js';
import { operatorCommands } from './operator/commands.js';
import { Config } from './platform/config/config.js';
import { openDatabase } from './platform/database/open.js';

/** All modules, but no lifecycle hooks: the application opens no port and runs no jobs. */
async function openApplication(): Promise<CommandApplication> {
  const config = Config.from();
  const opened = await openDatabase(config, databaseSchema);
  const app = await NestFactory.create(AppModule.with(config, opened), { logger: false, bodyParser: false });
  const close = async () => {
    await app.close();
    await opened.close();
  };
  return { get: (service) => app.get(service, { strict: false }), close };
}

try {
  await operatorCommands({
    print: (line) => void process.stdout.write(`${line}\n`),
    openApplication,
    databaseSchema,
  }).parseAsync();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
