import { registerHooks } from 'node:module';

/*
 * The entry point of a worker process. It runs one job at a time for its parent, and exits when the parent disconnects.
 */

interface RunMessage {
  module: string;
  input: unknown;
}

// tests run the sources, in which a file imported as .js exists as .ts
if (import.meta.url.endsWith('.ts'))
  registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        if (!specifier.endsWith('.js')) throw error;
        return nextResolve(specifier.replace(/\.js$/, '.ts'), context);
      }
    },
  });

async function runJob({ module, input }: RunMessage) {
  try {
    const { run } = (await import(module)) as { run(input: unknown): unknown };
    return { output: await run(input) };
  } catch (error) {
    // a trap leaves a WebAssembly instance unusable for later runs
    if (error instanceof Error && error.name === 'RuntimeError') process.exit(1);
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return { error: { name, message } };
  }
}

process.on('message', (run: RunMessage) => {
  void runJob(run).then((message) => process.send!(message));
});
process.on('disconnect', () => process.exit());
process.send!('ready');
