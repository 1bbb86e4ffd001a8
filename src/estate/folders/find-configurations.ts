import path from 'node:path';
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { readFileWithin } from '../../platform/files/read-file-within.js';
import { UnreadableFile } from '../../platform/files/unreadable-file.js';
import { walkFolder } from '../../platform/files/walk-folder.js';
import type { CollectedFile } from '../intake/collected-file.js';
import { configurationsBelow, isHiddenConfiguration, knownFile } from '../parsing/known-files.js';
import { maxFileBytes } from '../parsing/parse.js';

interface FolderScanOptions {
  /** Real path of the folder. */
  root: string;
  signal: AbortSignal;
  skipped(name: string, reason: string): void;
}

/**
 * Finds configurations of AI clients below a folder. Includes files in .gitignore: they are often ignored because they
 * contain secrets. Links out of the folder are reported and not followed; links inside it are followed, because the
 * client does so too.
 */
export async function* findConfigurations({ root, signal, skipped }: FolderScanOptions): AsyncGenerator<CollectedFile> {
  const linked: [name: string, target: string][] = [];
  const names = walkFolder({
    root,
    signal,
    onSkipped: skipped,
    appliesGitignore: false,
    includesHidden: isHiddenConfiguration,
    onLink: (name, target) => linked.push([name, target]),
  });
  for await (const name of names) if (knownFileIn(root, name)) yield await readFound(root, name);
  for (const [name, target] of linked) {
    signal.throwIfAborted();
    const isFile = knownFileIn(root, name) !== null;
    for (const inside of isFile ? [''] : configurationsBelow(path.basename(name)).map((below) => `/${below}`))
      yield* readIfThere(root, name + inside, target + inside);
  }
}

/** Uses the full path, because the scope depends on the parent folders. */
const knownFileIn = (root: string, name: string) => knownFile(path.posix.join(root, name));

async function* readIfThere(root: string, name: string, target: string): AsyncGenerator<CollectedFile> {
  const probed = await probeFile(path.join(root, target));
  if (probed.stats ? probed.stats.isFile() : probed.isThere) yield readProbed(root, name, target, probed);
}

const readFound = async (root: string, name: string): Promise<CollectedFile> =>
  readProbed(root, name, name, await probeFile(path.join(root, name)));

async function readProbed(root: string, name: string, target: string, { stats }: ProbedFile): Promise<CollectedFile> {
  const { scope } = knownFileIn(root, name)!;
  const details = { path: name, size: stats?.size ?? 0, modifiedAt: stats?.mtime ?? null, ownerEmail: null, scope };
  try {
    return { ...details, bytes: await readFileWithin(root, target, maxFileBytes) };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { ...details, bytes: null, reason: error.message };
  }
}

interface ProbedFile {
  stats: Stats | null;
  isThere: boolean;
}

/** An error other than a missing file counts as existing: reading the file then fails and reports the reason. */
async function probeFile(file: string): Promise<ProbedFile> {
  try {
    return { stats: await stat(file), isThere: true };
  } catch (error) {
    return { stats: null, isThere: !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') };
  }
}
