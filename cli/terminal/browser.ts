import { spawn } from 'node:child_process';
import { environment } from '../environment.js';

/** A command that fails does so at once, for example without a display. */
const failsWithinMs = 500;

/** Opens the page in the person's browser. Resolves with whether a browser seems to be there. */
export function openInBrowser(url: string): Promise<boolean> {
  const [command, ...args] = browserCommand();
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    child.once('spawn', () => {
      child.unref();
      setTimeout(() => resolve(true), failsWithinMs);
    });
  });
}

function browserCommand(): string[] {
  const configured = environment.browser();
  if (configured) return [configured];
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
