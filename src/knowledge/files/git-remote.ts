import { readFileWithin } from '../../platform/files/read-file-within.js';

const maxGitConfigBytes = 64 * 1024;
const maxRemoteLength = 2000;

/** The web URL of the files of a git checkout, if its origin is a known forge. Reads files and never runs git. */
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

/** The URL scheme for files on the web pages of a host. */
export type WebLayout = 'github' | 'gitlab' | 'gitea' | 'bitbucket';

/** The text at a branch can change; the text at a commit cannot. */
export type WebRevision = { branch: string } | { commit: string };

/** The layout of a well-known host; null for other hosts. */
export function webLayoutOf(host: string): WebLayout | null {
  if (host === 'github.com') return 'github';
  if (/(^|\.)gitlab\./.test(host)) return 'gitlab';
  if (host === 'codeberg.org' || /(^|\.)(gitea|forgejo)\./.test(host)) return 'gitea';
  return host === 'bitbucket.org' ? 'bitbucket' : null;
}

/** The base URL of the files of a repository at a revision. The path of each file is appended, escaped by segment. */
function blobBaseUrl(repository: string, layout: WebLayout, revision: WebRevision): string {
  const name = 'branch' in revision ? revision.branch : revision.commit;
  switch (layout) {
    case 'github':
      return `${repository}/blob/${name}`;
    case 'gitlab':
      return `${repository}/-/blob/${name}`;
    case 'gitea':
      return `${repository}/src/${'branch' in revision ? 'branch' : 'commit'}/${name}`;
    case 'bitbucket':
      return `${repository}/src/${name}`;
  }
}

const wiki = /\.wiki$/;

/** The page of a file at a commit. `repository`: the page of the repository or wiki. */
export function filePageUrl(repository: string, layout: WebLayout, commit: string, name: string): string {
  const owner = repository.replace(wiki, '');
  const page = name.replace(/\.\w+$/, '');
  if (wiki.test(repository) && layout === 'github') return `${owner}/wiki/${escapedPath(basename(page))}/${commit}`;
  if (wiki.test(repository) && layout === 'gitlab') return `${owner}/-/wikis/${escapedPath(page)}?version_id=${commit}`;
  return `${blobBaseUrl(repository, layout, { commit })}/${escapedPath(name)}`;
}

const basename = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

export const escapedPath = (name: string): string => name.split('/').map(encodeURIComponent).join('/');

/** Removes credentials from the URL of the remote. */
export function blobUrlOf(origin: string, branch: string): string | null {
  if (origin.length > maxRemoteLength || branch.length > maxRemoteLength) return null;
  const match =
    /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/(?:[^@/]*@)?|[^@/:]*@)([\w.-]+)(?::\d+)?[:/](.+?)(?:\.git)?\/?$/.exec(origin);
  if (!match) return null;
  const [, host, repository] = match;
  const layout = webLayoutOf(host);
  return layout && blobBaseUrl(`https://${host}/${repository}`, layout, { branch });
}
