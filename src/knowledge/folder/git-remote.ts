import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Where the files of a git checkout can be read on the web, if its origin is a well-known forge. Only files are read; git is not run. */
export async function webAddressOf(root: string): Promise<string | null> {
  try {
    const [config, head] = await Promise.all(
      ['config', 'HEAD'].map((name) => readFile(path.join(root, '.git', name), 'utf8')),
    );
    const origin = /^\[remote "origin"\]\s*\n(?:(?!\[).*\n)*?\s*url\s*=\s*(\S+)/m.exec(config)?.[1];
    const branch = /^ref: refs\/heads\/(\S+)/.exec(head)?.[1] ?? head.trim();
    return origin ? addressOf(origin, branch) : null;
  } catch {
    return null; // no checkout, or a worktree whose .git is a file
  }
}

/** Credentials in the address of a remote stay behind. */
export function addressOf(origin: string, branch: string): string | null {
  const match =
    /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/(?:[^@/]*@)?|[^@/:]*@)([\w.-]+)(?::\d+)?[:/](.+?)(?:\.git)?\/?$/.exec(origin);
  if (!match) return null;
  const [, host, repository] = match;
  if (host === 'github.com') return `https://${host}/${repository}/blob/${branch}`;
  if (/(^|\.)gitlab\./.test(host)) return `https://${host}/${repository}/-/blob/${branch}`;
  if (host === 'codeberg.org') return `https://${host}/${repository}/src/branch/${branch}`;
  return null;
}
