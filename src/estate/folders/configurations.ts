import path from 'node:path';
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
  for await (const name of names) if (knownIn(root, name)) yield await read(root, name, name);
  for (const [name, target] of linked) {
    signal.throwIfAborted();
    const inside = knownIn(root, name) ? '' : '/mcp.json';
    if (knownIn(root, name + inside)) yield* readIfThere(root, name + inside, target + inside);
  }
}

/** By its whole path: whether it is a user's own depends on the folders above. */
const knownIn = (root: string, name: string) => knownFile(path.posix.join(root, name));

async function* readIfThere(root: string, name: string, target: string): AsyncGenerator<FoundFile> {
  const found = await stat(path.join(root, target)).catch(() => null);
  if (found?.isFile()) yield read(root, name, target);
}

async function read(root: string, name: string, target: string): Promise<FoundFile> {
  const found = await stat(path.join(root, target)).catch(() => null);
  const { scope } = knownIn(root, name)!;
  const told = { path: name, size: found?.size ?? 0, modifiedAt: found?.mtime ?? null, ownerEmail: null, scope };
  try {
    return { ...told, bytes: await readBelow(root, target, largestFile) };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { ...told, bytes: null, reason: error.message };
  }
}
