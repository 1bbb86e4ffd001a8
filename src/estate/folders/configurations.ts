import path from 'node:path';
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { readBelow } from '../../platform/files/open-file.js';
import { UnreadableFile } from '../../platform/files/unreadable-file.js';
import { walk } from '../../platform/files/walk.js';
import type { FoundFile } from '../intake/found-file.js';
import { hiddenOnTheWay, knownFile } from '../parsing/known-files.js';
import { largestFile } from '../parsing/parse.js';

interface Looking {
  /** Real path of the folder. */
  root: string;
  signal: AbortSignal;
  skipped(name: string, reason: string): void;
}

/**
 * The configurations of AI clients below a folder. What a .gitignore lists is met as well: it is often listed for the secrets in
 * it. Links out of the folder are told of and not followed; behind one that stays inside lies what the client would read.
 */
export async function* configurationsIn({ root, signal, skipped }: Looking): AsyncGenerator<FoundFile> {
  const linked: [name: string, target: string][] = [];
  const names = walk({
    root,
    signal,
    skipped,
    heedsIgnores: false,
    readsHidden: hiddenOnTheWay,
    linked: (name, target) => linked.push([name, target]),
  });
  for await (const name of names) if (knownIn(root, name)) yield await read(root, name);
  for (const [name, target] of linked) {
    signal.throwIfAborted();
    const inside = knownIn(root, name) ? '' : '/mcp.json';
    if (knownIn(root, name + inside)) yield* readIfThere(root, name + inside, target + inside);
  }
}

/** By its whole path: whether it is a user's own depends on the folders above. */
const knownIn = (root: string, name: string) => knownFile(path.posix.join(root, name));

async function* readIfThere(root: string, name: string, target: string): AsyncGenerator<FoundFile> {
  const met = await lookAt(path.join(root, target));
  if (met.stats ? met.stats.isFile() : met.isThere) yield readMet(root, name, target, met);
}

const read = async (root: string, name: string): Promise<FoundFile> =>
  readMet(root, name, name, await lookAt(path.join(root, name)));

async function readMet(root: string, name: string, target: string, { stats }: Met): Promise<FoundFile> {
  const { scope } = knownIn(root, name)!;
  const told = { path: name, size: stats?.size ?? 0, modifiedAt: stats?.mtime ?? null, ownerEmail: null, scope };
  try {
    return { ...told, bytes: await readBelow(root, target, largestFile) };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { ...told, bytes: null, reason: error.message };
  }
}

interface Met {
  stats: Stats | null;
  isThere: boolean;
}

/** What keeps a file that is there from being looked at keeps it from being read as well, and that says why. */
async function lookAt(file: string): Promise<Met> {
  try {
    return { stats: await stat(file), isThere: true };
  } catch (error) {
    return { stats: null, isThere: !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') };
  }
}
