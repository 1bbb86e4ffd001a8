import { spawn } from 'node:child_process';
import { environment } from '../environment.js';

/** Opens the page in the person's browser. Resolves with whether the command could be started. */
export function openInBrowser(url: string): Promise<boolean> {
  const [command, ...args] = browserCommand();
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function browserCommand(): string[] {
  const configured = environment.browser();
  if (configured) return [configured];
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
