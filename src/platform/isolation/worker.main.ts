import { registerHooks } from 'node:module';

/* What a worker process runs: one job at a time, as its parent says. It ends with the connection to its parent. */

interface RunMessage {
  module: string;
  input: unknown;
}

// the tests run the sources: what is imported as .js is there as .ts
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
    // a trap leaves an instance of WebAssembly unusable, for the next run as well
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
