import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { PatternBudget } from './pattern-budget.js';
import type { StepBudget } from './step-budget.js';
import { GitIgnore } from './gitignore.js';
import { readFileWithin } from './read-file-within.js';
import { readFailureReason } from './read-failure-reason.js';
import { isWithinFolder } from './allowed-folder.js';

export interface FolderWalkOptions {
  root: string;
  signal: AbortSignal;
  /** Names that end with "/" are folders. */
  onSkipped(name: string, reason: string): void;
  /** Hidden entries to include. Default: only the folders in which code hosts store documents. */
  includesHidden?(name: string): boolean;
  /** Whether to exclude entries that a .gitignore lists. Default: true. */
  appliesGitignore?: boolean;
  /** A link to another entry below the root. Both names are relative to the root. The link is not followed. */
  onLink?(name: string, target: string): void;
}

export const maxFolderDepth = 64;
const maxIgnoreFileBytes = 256 * 1024;
const maxFolderEntries = 200_000;
/** Dependencies and caches. */
export const excludedFolders = new Set(['node_modules', '__pycache__', 'venv']);
/** Hidden folders that contain documents. */
export const forgeFolders = new Set(['.github', '.gitlab']);

interface FolderLevel {
  /** Relative to the root: '' or a path that ends with "/". */
  below: string;
  rules: { below: string; ignore: GitIgnore }[];
  ancestors: readonly string[];
}

/**
 * Names of the files below a folder, in a stable order. Links are not followed: a target is either walked itself or
 * outside.
 */
export async function* walkFolder(walk: FolderWalkOptions): AsyncGenerator<string> {
  let entryCount = 0;
  const patterns = new PatternBudget('The .gitignore patterns of the folder take too long to match. Simplify them.');
  const levels: FolderLevel[] = [{ below: '', rules: [], ancestors: [] }];
  for (let level = levels.pop(); level; level = levels.pop()) {
    walk.signal.throwIfAborted();
    const listed = await listFolder(walk, level);
    if (!listed) continue;
    entryCount += listed.entries.length;
    if (entryCount > maxFolderEntries)
      throw new Error(
        `The folder contains more than ${maxFolderEntries.toLocaleString('en')} entries. Choose a smaller folder, or exclude entries with a .gitignore file.`,
      );
    const folders: FolderLevel[] = [];
    for (const entry of listed.entries) {
      const name = level.below + entry.name;
      const isSkipped = patterns.match((budget) => isExcluded(walk, entry, name, listed.rules, budget));
      await patterns.pauseIfDue();
      if (isSkipped) continue;
      if (entry.isDirectory()) folders.push({ below: `${name}/`, rules: listed.rules, ancestors: listed.ancestors });
      else if (entry.isFile()) yield name;
      else if (entry.isSymbolicLink()) await reportLink(walk, name);
      else walk.onSkipped(name, 'is not a regular file');
    }
    for (const folder of folders.reverse()) levels.push(folder);
  }
}

async function listFolder(walk: FolderWalkOptions, { below, rules, ancestors }: FolderLevel) {
  const folder = path.join(walk.root, below);
  const skip = (reason: string) => (walk.onSkipped(below || './', reason), null);
  try {
    // a folder that is mounted into itself has no links and still is infinitely deep
    const { dev, ino } = await stat(folder, { bigint: true });
    const identity = `${dev}:${ino}`;
    if (ancestors.includes(identity)) return skip('contains itself');
    if (ancestors.length >= maxFolderDepth) return skip(`is nested more than ${maxFolderDepth} folders deep`);
    const entries = await readdir(folder, { withFileTypes: true });
    const ignore =
      walk.appliesGitignore !== false &&
      entries.some((entry) => entry.name === '.gitignore' && entry.isFile()) &&
      Buffer.from(await readFileWithin(walk.root, `${below}.gitignore`, maxIgnoreFileBytes)).toString();
    return {
      entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)),
      rules: ignore ? [...rules, { below, ignore: new GitIgnore(ignore) }] : rules,
      ancestors: [...ancestors, identity],
    };
  } catch (error) {
    if (!below) throw error; // the root is missing or inaccessible, which says nothing about its files
    return skip(readFailureReason(error));
  }
}

/** Hidden entries usually contain settings and credentials, not documents. */
function isExcluded(
  { includesHidden }: FolderWalkOptions,
  entry: Dirent,
  name: string,
  rules: FolderLevel['rules'],
  budget: StepBudget,
): boolean {
  if (entry.name.startsWith('.') && !(includesHidden?.(entry.name) ?? forgeFolders.has(entry.name))) return true;
  if (entry.isDirectory() && excludedFolders.has(entry.name)) return true;
  for (const { below, ignore } of rules.toReversed()) {
    const isIgnored = ignore.ignores(name.slice(below.length), entry.isDirectory(), budget);
    if (isIgnored !== null) return isIgnored;
  }
  return false;
}

async function reportLink(walk: FolderWalkOptions, name: string): Promise<void> {
  const target = await realpath(path.join(walk.root, name)).catch((error: NodeJS.ErrnoException) => error.code);
  if (target === 'ELOOP') walk.onSkipped(name, 'is a link to itself');
  else if (!target || !path.isAbsolute(target)) walk.onSkipped(name, 'is a broken link');
  else if (!isWithinFolder(target, walk.root)) walk.onSkipped(name, 'is a link to a target outside of the folder');
  else walk.onLink?.(name, path.relative(walk.root, target));
}
