import { readFileWithin } from '../../platform/files/read-file-within.js';

const maxGitConfigBytes = 64 * 1024;
const maxRemoteLength = 2000;

/** Where the files of a git checkout can be read on the web, if its origin is a well-known forge. Only files are read; git is not run. */
export async function webUrlOf(root: string): Promise<string | null> {
  try {
    const [config, head] = await Promise.all(
      ['.git/config', '.git/HEAD'].map(async (name) =>
        Buffer.from(await readFileWithin(root, name, maxGitConfigBytes)).toString(),
      ),
    );
    const origin = originIn(config);
    const branch = /^ref: refs\/heads\/(\S+)/.exec(head)?.[1] ?? head.trim();
    return origin ? blobUrlOf(origin, branch) : null;
  } catch {
    return null; // no checkout, or a worktree whose .git is a file
  }
}

/** The address of `[remote "origin"]`, line by line. */
export function originIn(config: string): string | null {
  let isInOrigin = false;
  for (const line of config.split('\n')) {
    const text = line.trim();
    if (text.startsWith('[')) isInOrigin = text === '[remote "origin"]';
    const [, address] = isInOrigin ? (/^url\s*=\s*(\S+)/.exec(text) ?? []) : [];
    if (address) return address;
  }
  return null;
}

/** Credentials in the address of a remote stay behind. */
export function blobUrlOf(origin: string, branch: string): string | null {
  if (origin.length > maxRemoteLength || branch.length > maxRemoteLength) return null;
  const match =
    /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/(?:[^@/]*@)?|[^@/:]*@)([\w.-]+)(?::\d+)?[:/](.+?)(?:\.git)?\/?$/.exec(origin);
  if (!match) return null;
  const [, host, repository] = match;
  if (host === 'github.com') return `https://${host}/${repository}/blob/${branch}`;
  if (/(^|\.)gitlab\./.test(host)) return `https://${host}/${repository}/-/blob/${branch}`;
  if (host === 'codeberg.org') return `https://${host}/${repository}/src/branch/${branch}`;
  return null;
}
