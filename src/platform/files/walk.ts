import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Effort, TooMuchEffort } from './effort.js';
import { GitIgnore } from './gitignore.js';
import { readBelow } from './open-file.js';
import { reasonOf } from './reason.js';
import { isBelow } from './root.js';

export interface Walk {
  root: string;
  signal: AbortSignal;
  /** A name that ends in "/" is a folder. */
  skipped(name: string, reason: string): void;
  /** Hidden entries that are met like others; usually none but where forges keep documents. */
  readsHidden?(name: string): boolean;
  /** Whether what a .gitignore lists is left out, as it usually is. */
  heedsIgnores?: boolean;
  /** A link to something else in the folder, both by their names below the root. It is not followed. */
  linked?(name: string, target: string): void;
}

const deepest = 64;
const largestIgnoreFile = 256 * 1024;
const most = 200_000;
/** Steps that the patterns of .gitignore files may take: for one entry, and for the whole walk. About 200 million are a second. */
const mostEffort = { entry: 2_000_000, walk: 1_000_000_000 };
/** Other work is let through after so many. */
const effortAtOnce = 2_000_000;
const neverRead = new Set(['node_modules', '__pycache__', 'venv']);
const forges = new Set(['.github', '.gitlab']);

interface Level {
  /** relative to the root, '' or with "/" at its end */
  below: string;
  rules: { below: string; ignore: GitIgnore }[];
  ancestors: readonly string[];
}

/** Names of the files below a folder, in a stable order. Links are not followed: what they lead to is met on its own, or is not ours. */
export async function* walk(walk: Walk): AsyncGenerator<string> {
  let met = 0;
  let [effort, pausedAt] = [0, 0];
  const levels: Level[] = [{ below: '', rules: [], ancestors: [] }];
  for (let level = levels.pop(); level; level = levels.pop()) {
    walk.signal.throwIfAborted();
    const listed = await list(walk, level);
    if (!listed) continue;
    met += listed.entries.length;
    if (met > most)
      throw new Error(
        `The folder holds more than ${most.toLocaleString('en')} entries. Choose a smaller one, or list what to leave out in a .gitignore.`,
      );
    const folders: Level[] = [];
    for (const entry of listed.entries) {
      const name = level.below + entry.name;
      const ofEntry = new Effort(Math.min(mostEffort.entry, mostEffort.walk - effort));
      const isOut = isLeftOut(walk, entry, name, listed.rules, ofEntry);
      effort += ofEntry.spent;
      if (effort - pausedAt > effortAtOnce) {
        pausedAt = effort;
        await setImmediate();
      }
      if (isOut) continue;
      if (entry.isDirectory()) folders.push({ below: `${name}/`, rules: listed.rules, ancestors: listed.ancestors });
      else if (entry.isFile()) yield name;
      else if (entry.isSymbolicLink()) await tellOfLink(walk, name);
      else walk.skipped(name, 'is not a regular file');
    }
    for (const folder of folders.reverse()) levels.push(folder);
  }
}

async function list(walk: Walk, { below, rules, ancestors }: Level) {
  const folder = path.join(walk.root, below);
  const skip = (reason: string) => (walk.skipped(below || './', reason), null);
  try {
    // a mount of a folder into itself is no link, and yet has no end
    const { dev, ino } = await stat(folder, { bigint: true });
    const identity = `${dev}:${ino}`;
    if (ancestors.includes(identity)) return skip('contains itself');
    if (ancestors.length >= deepest) return skip(`lies more than ${deepest} folders deep`);
    const entries = await readdir(folder, { withFileTypes: true });
    const ignore =
      walk.heedsIgnores !== false &&
      entries.some((entry) => entry.name === '.gitignore' && entry.isFile()) &&
      Buffer.from(await readBelow(walk.root, `${below}.gitignore`, largestIgnoreFile)).toString();
    return {
      entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)),
      rules: ignore ? [...rules, { below, ignore: new GitIgnore(ignore) }] : rules,
      ancestors: [...ancestors, identity],
    };
  } catch (error) {
    if (!below) throw error; // the whole folder is gone or closed: that is no news about its files
    return skip(reasonOf(error));
  }
}

/** Hidden entries hold settings and credentials, not knowledge. */
function isLeftOut({ readsHidden }: Walk, entry: Dirent, name: string, rules: Level['rules'], effort: Effort): boolean {
  if (entry.name.startsWith('.') && !(readsHidden?.(entry.name) ?? forges.has(entry.name))) return true;
  if (entry.isDirectory() && neverRead.has(entry.name)) return true;
  try {
    for (const { below, ignore } of rules.toReversed()) {
      const isIgnored = ignore.ignores(name.slice(below.length), entry.isDirectory(), effort);
      if (isIgnored !== null) return isIgnored;
    }
    return false;
  } catch (error) {
    if (!(error instanceof TooMuchEffort)) throw error;
    throw new Error('The patterns of its .gitignore files take too long to apply.', { cause: error });
  }
}

async function tellOfLink(walk: Walk, name: string): Promise<void> {
  const target = await realpath(path.join(walk.root, name)).catch((error: NodeJS.ErrnoException) => error.code);
  if (target === 'ELOOP') walk.skipped(name, 'is a link that leads to itself');
  else if (!target || !path.isAbsolute(target)) walk.skipped(name, 'is a link that leads nowhere');
  else if (!isBelow(target, walk.root)) walk.skipped(name, 'is a link that leads out of the folder');
  else walk.linked?.(name, path.relative(walk.root, target));
}
