import { Script } from 'node:vm';
import { SetUpService } from './access/set-up.service.js';
import { Config, ConfigError } from './platform/config/config.js';
import { startServer } from './server.js';

try {
  const server = await startServer(Config.from());
  process.stdout.write(`Countersign listens on ${server.config.baseUrl}\n`);
  const setUp = server.config.isWeb ? await server.app.get(SetUpService).issueFirstLink() : null;
  if (setUp) process.stdout.write(`Set up the first organization (once, within 24 hours):\n  ${setUp}\n`);
  allowMemoryReduction();
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
    `${error instanceof ConfigError ? error.message : `Countersign did not start: ${(error as Error).message}`}\n`,
  );
  process.exit(1);
}

/**
 * An idle server gives the memory of its start back (125 of 340 MB) only if V8 has seen an allocation in the heap of its embedder;
 * without any it takes that heap for a busy one (`--trace-mutator-utilization`). A script is such an allocation.
 */
function allowMemoryReduction(): void {
  new Script('');
}
