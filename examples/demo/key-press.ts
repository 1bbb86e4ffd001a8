import { stdin } from 'node:process';

/**
 * Waits for one of the keys in this terminal. Ctrl-C still ends the process. Resolves to undefined when the signal aborts,
 * and at once where standard input is no terminal.
 */
export function keyPress(keys: string, signal: AbortSignal): Promise<string | undefined> {
  if (!stdin.isTTY || signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const finish = (key?: string) => {
      stdin.off('data', onData).setRawMode(false).pause();
      signal.removeEventListener('abort', onAbort);
      resolve(key);
    };
    const onAbort = () => finish();
    const onData = (data: Buffer) => {
      const key = data.toString().toLowerCase();
      if (key === '\u0003') {
        finish();
        process.kill(process.pid, 'SIGINT'); // in raw mode the terminal does not send the signal
      } else if (key.length === 1 && keys.includes(key)) finish(key);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    stdin.setRawMode(true).on('data', onData).resume();
  });
}
