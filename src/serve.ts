import { Script } from 'node:vm';
import { SetUpService } from './access/set-up.service.js';
import { Config, ConfigError } from './platform/config/config.js';
import { startServer } from './server.js';

/**
 * For everything that a shutdown does after the grace time of calls. Without a limit, a process that is cut off from its database
 * would never end. What it cannot write down, others take over as after a crash.
 */
const shutdownMs = 30_000;

try {
  const server = await startServer(Config.from());
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1); // second signal: exit immediately
      stopping = true;
      setTimeout(() => {
        process.stderr.write(
          'Countersign ends without a complete shutdown: something it waits for does not respond.\n',
        );
        process.exit(1);
      }, server.config.shutdownGraceMs + shutdownMs);
      void server.close().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
  const setUp = server.config.isWeb ? await server.app.get(SetUpService).issueFirstLink() : null;
  // in one piece: a program that reads the address also has the link
  process.stdout.write(
    `Countersign listens on ${server.config.baseUrl}\n` +
      (setUp ? `Set up the first organization (once, within 24 hours):\n  ${setUp}\n` : ''),
  );
  allowMemoryReduction();
} catch (error) {
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : `Countersign did not start: ${(error as Error).message}`}\n`,
  );
  process.exit(1);
}

/**
 * V8 releases the memory of the start (125 of 340 MB) in an idle server only if it has seen an allocation in the
 * embedder heap; without one, it considers that heap busy (`--trace-mutator-utilization`). A script is such an
 * allocation.
 */
function allowMemoryReduction(): void {
  new Script('');
}
