import { Config, ConfigError } from './platform/config/config.js';
import { startServer } from './server.js';

try {
  const server = await startServer(Config.from());
  process.stdout.write(`Countersign listens on ${server.config.baseUrl}\n`);
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1); // asked twice
      stopping = true;
      void server.close().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
} catch (error) {
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : `Countersign did not start: ${String(error)}`}\n`,
  );
  process.exit(1);
}
