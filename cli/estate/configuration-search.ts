import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { FileScope } from '../../src/estate/configuration-file.js';
import {
  isConfigurationName,
  isHiddenConfiguration,
  knownFile,
  locationsBelow,
  normalizedPath,
  type KnownFile,
} from '../../src/estate/parsing/known-files.js';
import { knownLocations } from '../../src/estate/parsing/known-locations.js';
import { redactedPath } from '../../src/estate/parsing/redacted-path.js';
import { isWithinFolder } from '../../src/platform/files/allowed-folder.js';
import { readFailureReason } from '../../src/platform/files/read-failure-reason.js';
import { excludedFolders, maxFolderDepth } from '../../src/platform/files/walk-folder.js';
import { displayPath } from './display-path.js';
import { mayNotBeUtf8, notUtf8Reason } from './read-configuration.js';

/** A configuration file that was found by its path. It has not been opened yet. */
export interface FoundFile {
  path: string;
  known: KnownFile;
  /** The usual path of a file that its client stores elsewhere. */
  location?: string;
  /** The folder that the file must not leave, and the file below it after links are resolved. */
  root: string;
  target: string;
}

export interface SkippedPath {
  /** Without secrets. */
  path: string;
  displayPath: string;
  reason: string;
}

/** Listed at the same time. The thread pool of Node has four threads; more only keep it busy. */
const parallelFolders = 16;

const outsideReason = 'is a link to a target outside of the folder';

/**
 * Finds configuration files by their names. Links that leave the folder are reported and not followed. An unreadable
 * folder is reported and does not end the search.
 */
export class ConfigurationSearch {
  readonly found = new Map<string, FoundFile>();
  readonly skipped: SkippedPath[] = [];
  /** Files may be where nothing could be read. */
  isIncomplete = false;
  private readonly skippedKeys = new Set<string>();
  folderCount = 0;
  fileCount = 0;
  private readonly links: { root: string; path: string }[] = [];
  /** Folders below which everything was searched. */
  private readonly searchedFolders = new Set<string>();
  /** Keys are the folders and files that clients use instead, and the targets of links. Values are the usual paths. */
  private readonly usualPaths = new Map<string, string>();

  /** All configuration files below a folder. */
  async searchFolder(root: string): Promise<void> {
    const pending = [{ folder: root, depth: 0 }];
    while (pending.length) {
      const batch = pending.splice(-parallelFolders);
      const listed = await Promise.all(batch.map(({ folder }) => this.list(folder)));
      listed.forEach((entries, index) => {
        const { folder, depth } = batch[index];
        const hasObjectStore = isGitRepository(entries);
        const prefix = folder.endsWith(path.sep) ? folder : folder + path.sep;
        for (const entry of entries) {
          if (!entry.isDirectory()) this.visitFile(root, prefix, entry);
          else if (isSearched(entry.name) && !(hasObjectStore && entry.name === 'objects')) {
            if (depth < maxFolderDepth) pending.push({ folder: prefix + entry.name, depth: depth + 1 });
            else this.skip(prefix + entry.name, `is nested more than ${maxFolderDepth} folders deep`);
          }
        }
      });
    }
    for (const link of this.links.splice(0)) await this.visitLink(link.root, link.path);
  }

  /** The places in a home folder where AI clients store their configuration. Nothing else is listed. */
  async searchHome(home: string): Promise<void> {
    for (const location of knownLocations)
      if (location.place === 'home' || location.place === 'both') await this.expand(home, home, location.path, 'user');
  }

  /** A folder that a client uses instead of the usual one in the home folder, such as that of `CODEX_HOME`. */
  async searchClientFolder(name: string, usual: string): Promise<void> {
    const folder = await this.realPath(name, false);
    if (folder === null) return;
    this.usualPaths.set(folder, `~/${usual}`);
    // in the home folder, this file of Claude Code is not in ".claude"
    const own = usual === '.claude' ? ['.claude.json'] : [];
    for (const below of [...locationsBelow(usual), ...own]) await this.expand(folder, folder, below, 'user');
  }

  /** A file that a client uses instead of the usual one, such as that of `OPENCODE_CONFIG`. */
  async addClientFile(name: string, usual: string): Promise<void> {
    const folder = await this.realPath(path.dirname(name), false);
    if (folder === null) return;
    const file = path.join(folder, path.basename(name));
    this.usualPaths.set(file, usual);
    const target = await this.resolve(folder, file, false);
    if (target !== null) this.add(folder, file, target, 'user');
  }

  /** The places outside of home folders where administrators configure AI clients. */
  async searchMachine(disk: string): Promise<void> {
    for (const location of knownLocations)
      if (location.place === 'machine') await this.expand(disk, disk, location.path, 'user');
  }

  /** One file. Returns false if no AI client uses a file with this path. */
  async addFile(file: string): Promise<boolean> {
    const folder = await realpath(path.dirname(file));
    const name = path.join(folder, path.basename(file));
    if (!knownFile(normalizedPath(name))) return false;
    await this.visitLink(folder, name);
    return true;
  }

  private async list(folder: string): Promise<Dirent[]> {
    this.folderCount++;
    try {
      return await readdir(folder, { withFileTypes: true });
    } catch (error) {
      this.isIncomplete = true;
      this.skip(folder, mayNotBeUtf8(folder) ? notUtf8Reason : readFailureReason(error));
      return [];
    }
  }

  private visitFile(root: string, prefix: string, entry: Dirent): void {
    this.fileCount++;
    const isLink = entry.isSymbolicLink();
    if (isLink && isHiddenConfiguration(entry.name)) this.links.push({ root, path: prefix + entry.name });
    else if (!isConfigurationName(entry.name)) return;
    else if (isLink) this.links.push({ root, path: prefix + entry.name });
    else if (entry.isFile()) this.add(root, prefix + entry.name, prefix + entry.name);
  }

  /** A link to a configuration file, or to a folder that contains some. */
  private async visitLink(root: string, link: string): Promise<void> {
    const isFile = knownFile(normalizedPath(link)) !== null;
    const target = await this.resolve(root, link, isFile || isHiddenConfiguration(path.basename(link)));
    if (target === null) return;
    if (isFile) return this.add(root, link, target);
    for (const below of locationsBelow(path.basename(link)))
      if (!below.includes('**')) await this.expand(root, link, below);
  }

  /** The real path of something that exists within the root. */
  private async resolve(root: string, name: string, isReported: boolean): Promise<string | null> {
    const target = await this.realPath(name, isReported);
    if (target === null || isWithinFolder(target, root)) return target;
    this.skip(name, outsideReason);
    return null;
  }

  /** Null if it does not exist, which is reported only on request, or if it cannot be read. */
  private async realPath(name: string, isReported: boolean): Promise<string | null> {
    try {
      return await realpath(name);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
      if (code === 'ELOOP') this.skip(name, 'is a link to itself');
      else if (isMissing && mayNotBeUtf8(name)) this.skip(name, notUtf8Reason);
      else if (isMissing && isReported) this.skip(name, 'is a broken link');
      else if (!isMissing) {
        this.isIncomplete = true;
        this.skip(await firstUnreadable(name), readFailureReason(error));
      }
      return null;
    }
  }

  /** Follows a path of a location, whose names may be wildcards. */
  private async expand(root: string, folder: string, names: string, scope?: FileScope): Promise<void> {
    const parts = names.split('/');
    const wildcard = parts.findIndex((name) => name.includes('*'));
    if (wildcard < 0) {
      const file = path.join(folder, names);
      const target = await this.resolve(root, file, false);
      if (target !== null) this.add(root, file, target, scope);
      return;
    }
    const parent = path.join(folder, ...parts.slice(0, wildcard));
    const target = await this.resolve(root, parent, false);
    if (target === null) return;
    if (parts[wildcard] === '**') {
      if (target !== parent) this.usualPaths.set(target, parent);
      if (!this.searchedFolders.has(target)) await this.searchFolder(target);
      this.searchedFolders.add(target);
      return;
    }
    const pattern = new RegExp(`^${parts[wildcard].replaceAll('.', '\\.').replace('*', '.+')}$`, 'i');
    const rest = parts.slice(wildcard + 1).join('/');
    for (const { name } of await this.list(target))
      if (pattern.test(name)) await this.expand(root, path.join(parent, name), rest, scope);
  }

  private add(root: string, file: string, target: string, scope?: FileScope): void {
    const location = this.usualPath(file);
    const known = knownFile(normalizedPath(location ?? file));
    if (!known || (this.found.has(file) && !scope)) return;
    const placed = scope ? { ...known, scope } : known;
    this.found.set(file, { path: file, known: placed, location, root, target: path.relative(root, target) });
  }

  /** The usual path of a file that a client stores elsewhere. The nearest folder decides. */
  private usualPath(file: string): string | undefined {
    const [nearest] = [...this.usualPaths.keys()]
      .filter((folder) => isWithinFolder(file, folder))
      .sort((a, b) => b.length - a.length);
    return nearest && path.join(this.usualPaths.get(nearest)!, path.relative(nearest, file));
  }

  skip(name: string, reason: string): void {
    const key = `${name}\n${reason}`;
    if (!this.skippedKeys.has(key))
      this.skipped.push({ path: redactedPath(name), displayPath: displayPath(name), reason });
    this.skippedKeys.add(key);
  }
}

/** The folder that hides a path, so that it is reported once instead of everything that could be in it. */
async function firstUnreadable(name: string): Promise<string> {
  const parent = path.dirname(name);
  if (parent === name) return name;
  const isReachable = await lstat(name).then(
    () => true,
    () => false,
  );
  return isReachable ? name : firstUnreadable(parent);
}

/** Hidden folders are only searched if an AI client uses them. */
const isSearched = (name: string): boolean =>
  name.startsWith('.') ? isHiddenConfiguration(name) : !excludedFolders.has(name);

/** The inside of a Git repository, which may have any name if it has no work tree. Its objects are many. */
function isGitRepository(entries: readonly Dirent[]): boolean {
  let parts = 0;
  for (const { name } of entries) if (name === 'HEAD' || name === 'objects' || name === 'refs') parts++;
  return parts === 3;
}
