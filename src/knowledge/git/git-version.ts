import { GitFailure } from './git-failure.js';
import { gitCommand } from './git-transport.js';
import { GitProcess, readOutput } from './git-process.js';

/**
 * The first release of each series that fixes the vulnerabilities that let a hostile repository execute code
 * (CVE-2024-32002, -32004, -32465). Vulnerabilities that were found later need a checkout, submodules or bundles, which are never used here.
 */
const firstSafe = ['2.39.4', '2.40.2', '2.41.1', '2.42.2', '2.43.4', '2.44.1', '2.45.1'].map(numbersOf);

function numbersOf(version: string): number[] {
  return version.split('.').map(Number);
}

/** Throws if git is missing or too old. */
export async function requireGit(folder: string, signal: AbortSignal): Promise<void> {
  const running = new GitProcess({ command: gitCommand('version'), folder, host: 'git', signal, maxSeconds: 10 });
  const text = (await readOutput(running, 4096)).toString('latin1');
  const reason = gitVersionFault(text);
  if (reason) throw new GitFailure('not-installed', reason);
}

/** The reason why this version cannot be used; null if it can. */
export function gitVersionFault(text: string): string | null {
  const [, version] = /^git version (\d+\.\d+(?:\.\d+)*)/.exec(text) ?? [];
  if (!version) return 'The version of the program "git" on the server is unknown.';
  const [major, minor, patch = 0] = numbersOf(version);
  const newest = firstSafe.at(-1)!;
  if (major > newest[0] || (major === newest[0] && minor > newest[1])) return null;
  const series = firstSafe.find(([one, two]) => one === major && two === minor);
  if (series && patch >= series[2]) return null;
  return `git ${version} on the server is too old: a hostile repository can execute code with it. Install git ${newest.join('.')} or newer.`;
}
