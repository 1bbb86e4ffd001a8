import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SerialExecutor } from '../../platform/events/serial-executor.js';
import { ifExists } from '../../platform/files/if-exists.js';
import { tooLargeReason } from '../../platform/files/read-file-within.js';
import { BlobReader } from './blob-reader.js';
import { damagedCopy, GitFailure } from './git-failure.js';
import { GitProcess, readOutput, readRecords, standardMemoryKibibytes, type GitProgram } from './git-process.js';
import { isOid, type GitTip } from './git-tip.js';
import { gitCommand, type GitTransport } from './git-transport.js';

export interface GitLimits {
  /** For one command that connects to the host. It is shorter than the inactivity timeout of a sync. */
  fetchSeconds: number;
  /** For the stored repository, including a fetch in progress. */
  repositoryBytes: number;
  /** For one fetch of several files. */
  filesBytes: number;
  /** For a fetch of a single file. */
  fileBytes: number;
  /** For the list of all files: a few tree objects can describe an endless list, which a sync holds in memory. */
  listedFiles: number;
  listedBytes: number;
  /** For each process of git. */
  memoryKibibytes: number;
}

const mebibyte = 2 ** 20;
export const standardGitLimits: GitLimits = {
  fetchSeconds: 240,
  repositoryBytes: 2048 * mebibyte,
  filesBytes: 128 * mebibyte,
  fileBytes: 24 * mebibyte,
  listedFiles: 1_000_000,
  listedBytes: 256 * mebibyte,
  memoryKibibytes: standardMemoryKibibytes,
};

export interface TreeEntry {
  mode: string;
  oid: string;
  name: Buffer;
}

export type TreeChange = TreeEntry & { isRemoved: boolean };

const repositoryFolder = 'repository.git';
/** Shares the objects of the repository but has no remote, so git reports missing objects instead of fetching them. */
const readerFolder = 'reader.git';
/** The object format and address of the copy. Written last and removed first: without it, the copy is created again. */
const originFile = 'repository.git/origin';
const tooLargeFile = 'too-large';
const packFolder = 'repository.git/objects/pack';
/** Of git, of `ssh-agent` and of `StorageLock`. */
const temporaryName = /^(tmp_|shallow_|agent-|lock-)|\.lock$/;
const tipRef = 'refs/heads/tip';
const localSeconds = 600;
const readerSeconds = 24 * 60 * 60;
/** Every fetch adds a pack, and every pack slows down reading. The copy is created again when it has more. */
const maxPacks = 200;
/** A fetch of files that is too large is split into this many fetches. */
const splitInto = 16;
const nul = 0;

/**
 * A bare, partial clone: commits, trees, and the files that were read. It can be deleted at any time; the next pass
 * fetches it again.
 */
export class GitRepository {
  readonly blobs: BlobReader;
  private readonly tooLarge = new Set<string>();
  private readonly fetches = new SerialExecutor();

  /** `folder` belongs to one connection, and the caller holds its lock. */
  constructor(
    private readonly folder: string,
    private readonly transport: GitTransport,
    private readonly limits: GitLimits,
    private readonly signal: AbortSignal,
  ) {
    this.blobs = new BlobReader(() => this.local(['cat-file', '--batch-command'], readerSeconds));
  }

  /** Removes the temporary files of a killed process. Creates the copy unless a usable one of this address exists. */
  async prepare(sample: string): Promise<void> {
    const objectFormat = sample.length === 64 ? 'sha256' : 'sha1';
    const origin = `${objectFormat} ${this.transport.address.url}`;
    await this.removeTemporaryFiles();
    const isUsable =
      (await this.readIfExists(originFile)) === origin &&
      (await this.packFiles()).filter((name) => name.endsWith('.pack')).length <= maxPacks;
    if (!isUsable) await this.create(objectFormat, origin);
    const large = (await this.readIfExists(tooLargeFile)) ?? '';
    for (const oid of large.split('\n')) if (isOid(oid)) this.tooLarge.add(oid);
  }

  private async create(objectFormat: string, origin: string): Promise<void> {
    await this.markDamaged();
    for (const name of [readerFolder, repositoryFolder]) {
      await rm(path.join(this.folder, name), { recursive: true, force: true });
      await this.run(['init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat}`, '--', name]);
    }
    await this.run([`--git-dir=${repositoryFolder}`, 'config', 'remote.origin.url', this.transport.address.url]);
    await writeFile(path.join(this.folder, originFile), origin, { mode: 0o600 });
  }

  /** If the copy is damaged, the next pass creates it again. */
  async markIfDamaged(error: unknown): Promise<void> {
    if (error instanceof GitFailure && error.code === 'corrupt') await this.markDamaged();
  }

  /** Leaves everything else in place, because this pass may have lost its lock. */
  private async markDamaged(): Promise<void> {
    await rm(path.join(this.folder, originFile), { force: true });
  }

  /** Fetches a tip. Returns its commit, which is newer than the given one if the branch has moved. */
  async fetchTip({ branch, commit }: GitTip): Promise<string> {
    if (await this.hasCommit(commit)) return commit;
    const from = branch === null ? 'HEAD' : `refs/heads/${branch}`;
    await this.fetch(['--depth=1', '--filter=blob:none', 'origin', `+${from}:${tipRef}`]);
    const resolved = await this.run([`--git-dir=${repositoryFolder}`, 'rev-parse', '--verify', tipRef]);
    const fetched = resolved.toString('latin1').trim();
    if (!isOid(fetched)) throw damagedCopy();
    return fetched;
  }

  /** Fetches a commit and its trees. False if the host no longer has it, for example after a force-push. */
  async fetchCommit(commit: string): Promise<boolean> {
    if (await this.hasCommit(commit)) return true;
    try {
      await this.fetch(['--depth=1', '--filter=blob:none', 'origin', commit]);
    } catch (error) {
      if (error instanceof GitFailure && error.code === 'object-missing') return false;
      throw error;
    }
    return this.hasCommit(commit);
  }

  /** The committer date. */
  async dateOf(commit: string): Promise<Date | undefined> {
    const text = (await this.outputOf(this.local(['cat-file', 'commit', commit]))).toString('latin1');
    const [, seconds] = /^committer .* (\d+) [+-]\d+$/m.exec(text) ?? [];
    return seconds ? new Date(Number(seconds) * 1000) : undefined;
  }

  /** All files, in a stable order. */
  async *files(commit: string): AsyncGenerator<TreeEntry> {
    let count = 0;
    for await (const record of this.listed(['ls-tree', '-r', '-z', '--full-tree', commit])) {
      if (++count > this.limits.listedFiles) throw tooManyFiles();
      const tab = record.indexOf(9);
      const [mode, , oid] = record.subarray(0, tab).toString('latin1').split(' ');
      if (!isOid(oid)) throw damagedCopy();
      yield { mode, oid, name: record.subarray(tab + 1) };
    }
  }

  /** The differences between two commits. Neither has to be an ancestor of the other. */
  async *changes(from: string, to: string): AsyncGenerator<TreeChange> {
    const arguments_ = [
      'diff-tree',
      '-r',
      '-z',
      '--raw',
      '--no-renames',
      '--no-abbrev',
      '--no-ext-diff',
      from,
      to,
      '--',
    ];
    let head: string[] | null = null;
    let count = 0;
    for await (const record of this.listed(arguments_)) {
      if (!head) {
        if (++count > this.limits.listedFiles) throw tooManyFiles();
        head = record.toString('latin1').split(' ');
        if (head.length !== 5 || !isOid(head[3])) throw damagedCopy();
        continue;
      }
      const [, mode, , oid, status] = head;
      yield { mode, oid, name: record, isRemoved: status === 'D' };
      head = null;
    }
  }

  /** The NUL-terminated records of a git command, up to the limit. */
  private async *listed(args: readonly string[]): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const record of readRecords(this.local(args), nul)) {
      bytes += record.length;
      if (bytes > this.limits.listedBytes) throw tooManyFiles();
      yield record;
    }
  }

  /** The object id of a file; null if the commit does not contain it. */
  async oidOf(commit: string, name: string): Promise<string | null> {
    const listed = await this.outputOf(this.local(['ls-tree', '-z', '--full-tree', commit, '--', name]));
    const [, oid = null] = /^100\d{3} blob ([\da-f]+)\t/.exec(listed.toString('latin1')) ?? [];
    return oid;
  }

  /** Fetches one batch at a time: a waiting caller often needs a file of the batch before it. */
  fetchFilesIfMissing(oid: string, upcoming: () => readonly string[]): Promise<void> {
    return this.fetches.run(async () => {
      if ((await this.blobs.sizeOf(oid)) !== null) return;
      const oids = [...new Set(upcoming())];
      const sizes = await Promise.all(oids.map((one) => this.blobs.sizeOf(one)));
      await this.fetchFiles(oids.filter((_, index) => sizes[index] === null));
    });
  }

  /**
   * Stores the files that the host sends, so that `blobs` can read them. Records each file above the limit, so that it is
   * not fetched again.
   */
  private async fetchFiles(oids: readonly string[]): Promise<void> {
    const wanted = oids.filter((oid) => !this.tooLarge.has(oid));
    if (!wanted.length) return;
    const { filesBytes, fileBytes } = this.limits;
    const single = wanted.length === 1;
    try {
      const input = wanted.map((oid) => `${oid}\n`).join('');
      const args = ['--filter=blob:none', '--stdin', 'origin'];
      await this.fetch(args, { input, maxBytes: single ? fileBytes : filesBytes, isForFiles: true });
    } catch (error) {
      if (!(error instanceof GitFailure) || error.code !== 'files-too-large') throw error;
      if (single) return this.rememberTooLarge(wanted[0]);
      const part = Math.ceil(wanted.length / splitInto);
      for (let at = 0; at < wanted.length; at += part) await this.fetchFiles(wanted.slice(at, at + part));
    }
  }

  isTooLarge(oid: string): boolean {
    return this.tooLarge.has(oid);
  }

  private async rememberTooLarge(oid: string): Promise<void> {
    this.tooLarge.add(oid);
    await writeFile(path.join(this.folder, tooLargeFile), [...this.tooLarge].join('\n'), { mode: 0o600 });
  }

  private async hasCommit(commit: string): Promise<boolean> {
    try {
      await this.outputOf(this.local(['cat-file', '-e', `${commit}^{tree}`]));
      return true;
    } catch (error) {
      if (error instanceof GitFailure && error.code === 'corrupt') return false; // missing, or its trees are
      throw error;
    }
  }

  private async fetch(
    args: readonly string[],
    { input = '', maxBytes = Infinity, isForFiles = false } = {},
  ): Promise<void> {
    const { repositoryBytes, fetchSeconds } = this.limits;
    const before = await this.storedBytes();
    const watch = async () => {
      const bytes = await this.storedBytes();
      if (bytes > repositoryBytes) return beyondLimit(bytes, repositoryBytes);
      return bytes - before > maxBytes ? new GitFailure('files-too-large', 'The files are too large.') : null;
    };
    const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
    // without it, git reports the stored commits, and the host omits their files because it assumes they were sent
    const negotiation = isForFiles ? ['-c', 'fetch.negotiationAlgorithm=noop'] : [];
    const running = this.transport.start([...negotiation, `--git-dir=${repositoryFolder}`, ...fetch, ...args], {
      maxSeconds: fetchSeconds,
      watch,
    });
    running.input.end(input);
    try {
      await readOutput(running, mebibyte);
      const bytes = await this.storedBytes(); // a fast fetch can finish before `watch` runs
      if (bytes > repositoryBytes) throw beyondLimit(bytes, repositoryBytes);
    } catch (error) {
      if (error instanceof GitFailure && error.code === 'too-large') await this.markDamaged();
      // after an abort, the lock may be lost; the next pass removes the files
      if (!this.signal.aborted) await this.removeTemporaryFiles();
      throw error;
    }
  }

  /** Reads the stored objects and never connects to the host. */
  private local(args: readonly string[], maxSeconds = localSeconds): GitProcess {
    const environment = { GIT_OBJECT_DIRECTORY: `${repositoryFolder}/objects` };
    return this.start([`--git-dir=${readerFolder}`, ...args], { maxSeconds, environment });
  }

  private start(
    args: readonly string[],
    options: Pick<GitProgram, 'maxSeconds' | 'environment'> = { maxSeconds: localSeconds },
  ): GitProcess {
    const { folder, signal } = this;
    const { host } = this.transport.address;
    const { memoryKibibytes } = this.limits;
    return new GitProcess({ ...options, command: gitCommand(...args), folder, host, signal, memoryKibibytes });
  }

  private async run(args: readonly string[]): Promise<Buffer> {
    return this.outputOf(this.start(args));
  }

  private outputOf(process: GitProcess): Promise<Buffer> {
    process.input.end();
    return readOutput(process, mebibyte);
  }

  private async storedBytes(): Promise<number> {
    const folder = path.join(this.folder, packFolder);
    const stats = (await this.packFiles()).map((name) => ifExists(stat(path.join(folder, name))));
    return (await Promise.all(stats)).reduce((sum, file) => sum + (file?.size ?? 0), 0);
  }

  private packFiles(): Promise<string[]> {
    return this.namesIn(packFolder);
  }

  private async namesIn(name: string): Promise<string[]> {
    return (await ifExists(readdir(path.join(this.folder, name)))) ?? [];
  }

  private readIfExists(name: string): Promise<string | undefined> {
    return ifExists(readFile(path.join(this.folder, name), 'utf8'));
  }

  /** A killed process leaves partial packs, locks and sockets. The caller holds the lock, so no other process uses them. */
  private async removeTemporaryFiles(): Promise<void> {
    for (const folder of ['.', packFolder, repositoryFolder, `${repositoryFolder}/refs/heads`])
      for (const name of await this.namesIn(folder))
        if (temporaryName.test(name)) await rm(path.join(this.folder, folder, name), { force: true });
  }
}

const tooManyFiles = () => new GitFailure('too-large', 'The repository has too many files. Choose a smaller one.');

const beyondLimit = (bytes: number, limit: number) =>
  new GitFailure('too-large', `The repository ${tooLargeReason(bytes, limit)}. Choose a smaller one.`);

/** The folder of all copies. It contains a folder for each organization, with a folder for each connection. */
export const gitFolder = (dataDir: string): string => path.join(dataDir, 'git');

/** The folder of one connection, or of one of its copies. */
export async function createStorage(root: string, tenantId: string, connectionId: string, copy = '.'): Promise<string> {
  const folder = path.join(root, tenantId, connectionId, copy);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}
