import { readFileWithin } from '../../platform/files/read-file-within.js';

const maxGitConfigBytes = 64 * 1024;
const maxRemoteLength = 2000;

/** The web URL of the files of a git checkout, if its origin is a known forge. It reads files and never runs git. */
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
    return null; // not a checkout, or a worktree, whose .git is a file
  }
}

/** The URL of `[remote "origin"]`. Parses line by line, in linear time. */
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

/** Removes credentials from the URL of the remote. */
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
