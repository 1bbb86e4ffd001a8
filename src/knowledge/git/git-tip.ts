import { isBranchName } from './git-address.js';
import { GitFailure } from './git-failure.js';
import { readOutput } from './git-process.js';
import type { GitTransport } from './git-transport.js';

/** The tip of a branch at the host. */
export interface GitTip {
  /** Null if the host reports only the commit of its default branch. */
  branch: string | null;
  commit: string;
}

const maxListedBytes = 64 * 2 ** 20;
const oidPattern = /^([\da-f]{40}|[\da-f]{64})$/;

export const isOid = (text: unknown): text is string => typeof text === 'string' && oidPattern.test(text);

/** The tip of a branch, or of the default branch. Fetches no objects. */
export async function tipOf(transport: GitTransport, branch: string | null, maxSeconds: number): Promise<GitTip> {
  const { url, host } = transport.address;
  const wanted = branch === null ? 'HEAD' : `refs/heads/${branch}`;
  const running = transport.start(['ls-remote', '--symref', '--', url, wanted], { maxSeconds });
  running.input.end();
  const lines = (await readOutput(running, maxListedBytes)).toString('utf8').split('\n');
  const [, named = null] = lines.map((line) => /^ref: refs\/heads\/(\S+)\tHEAD$/.exec(line)).find(Boolean) ?? [];
  const commit = lines.find((line) => line.endsWith(`\t${wanted}`) && !line.startsWith('ref:'))?.split('\t')[0];
  // the name of the default branch comes from the host
  if (isOid(commit)) return { branch: branch ?? (named && isBranchName(named) ? named : null), commit };
  throw new GitFailure(
    'not-found',
    branch === null ? `The repository at ${host} has no commits.` : `The repository has no branch "${branch}".`,
  );
}
