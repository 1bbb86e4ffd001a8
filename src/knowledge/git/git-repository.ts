import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tooLargeReason } from '../../platform/files/read-file-within.js';
import { BlobReader } from './blob-reader.js';
import { GitFailure } from './git-failure.js';
import { GitProcess, readOutput, readRecords, type GitProgram } from './git-process.js';
import { isOid, type GitTip } from './git-tip.js';
import { gitCommand, type GitTransport } from './git-transport.js';

export interface GitLimits {
  /** For one exchange with the host. A sync ends a source that is silent for longer. */
  fetchSeconds: number;
  /** Of the stored repository, with what is being received. */
  repositoryBytes: number;
  /** Of one exchange that fetches files. */
  filesBytes: number;
  /** Of an exchange that fetches one file. */
  fileBytes: number;
  /** Of the list of all files: a few objects can describe trees without end. */
  listedBytes: number;
}

const mebibyte = 2 ** 20;
export const standardGitLimits: GitLimits = {
  fetchSeconds: 240,
  repositoryBytes: 2048 * mebibyte,
  filesBytes: 128 * mebibyte,
  fileBytes: 24 * mebibyte,
  listedBytes: 256 * mebibyte,
};

export interface TreeEntry {
  mode: string;
  oid: string;
  name: Buffer;
}

export type TreeChange = TreeEntry & { isRemoved: boolean };

const repositoryFolder = 'repository.git';
/** The same objects without a host: what is missing is reported, and never fetched by reading. */
const readerFolder = 'reader.git';
const damageMark = 'damaged';
const tipRef = 'refs/heads/tip';
const localSeconds = 600;
const readerSeconds = 24 * 60 * 60;
/** Every fetch adds a pack, and each makes reading slower. */
const maxPacks = 200;
/** Parts of an exchange that was too large. */
const splitInto = 16;
const nul = 0;

/**
 * A bare, partial copy: commits and trees, and of the files only those that were read. It can be deleted at any time,
 * and is then fetched again.
 */
export class GitRepository {
  readonly blobs: BlobReader;
  private readonly tooLarge = new Set<string>();
  private lastFetch: Promise<void> = Promise.resolve();

  /** `folder` belongs to one connection and is locked by the caller. */
  constructor(
    private readonly folder: string,
    private readonly transport: GitTransport,
    private readonly limits: GitLimits,
    private readonly signal: AbortSignal,
  ) {
    this.blobs = new BlobReader(() => this.local(['cat-file', '--batch-command'], readerSeconds));
  }

  /** Removes what a killed process has left, and creates the repository if it is missing or of another address. */
  async prepare(sample: string): Promise<void> {
    const { url } = this.transport.address;
    const form = `${sample.length === 64 ? 'sha256' : 'sha1'} ${url}`;
    for (const name of await readdir(this.folder))
      if (/^(new|trash|agent|lock)-/.test(name))
        await rm(path.join(this.folder, name), { recursive: true, force: true });
    const stored = await readFile(path.join(this.folder, 'form'), 'utf8').catch(() => '');
    if (stored !== form || (await exists(path.join(this.folder, damageMark)))) await this.discard();
    await this.removeTemporaryFiles();
    const large = await readFile(path.join(this.folder, 'too-large'), 'utf8').catch(() => '');
    for (const oid of large.split('\n')) if (isOid(oid)) this.tooLarge.add(oid);
    if ((await this.packs()).length > maxPacks) await this.discard();
    if (await exists(path.join(this.folder, repositoryFolder, 'HEAD'))) return;
    const [objectFormat] = form.split(' ');
    for (const name of [readerFolder, repositoryFolder]) {
      const fresh = `new-${randomBytes(6).toString('hex')}`;
      await this.run(['init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat}`, '--', fresh]);
      await this.run([`--git-dir=${fresh}`, 'config', 'remote.origin.url', url]);
      await rm(path.join(this.folder, name), { recursive: true, force: true });
      await rename(path.join(this.folder, fresh), path.join(this.folder, name));
    }
    await writeFile(path.join(this.folder, 'form'), form, { mode: 0o600 });
  }

  /** The next pass fetches the copy again. This one may have lost the folder to it already, and leaves it as it is. */
  async markDamaged(): Promise<void> {
    await writeFile(path.join(this.folder, damageMark), '', { mode: 0o600 });
  }

  private async discard(): Promise<void> {
    const trash = path.join(this.folder, `trash-${randomBytes(6).toString('hex')}`);
    try {
      await rename(path.join(this.folder, repositoryFolder), trash);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    await rm(trash, { recursive: true, force: true });
    await rm(path.join(this.folder, damageMark), { force: true });
  }

  /** Fetches a tip and returns its commit, which may be newer than the given one. */
  async fetchTip({ branch, commit }: GitTip): Promise<string> {
    if (await this.hasCommit(commit)) return commit;
    const from = branch === null ? 'HEAD' : `refs/heads/${branch}`;
    await this.fetch(['--depth=1', '--filter=blob:none', 'origin', `+${from}:${tipRef}`]);
    const resolved = await this.run([`--git-dir=${repositoryFolder}`, 'rev-parse', '--verify', tipRef]);
    const fetched = resolved.toString('latin1').trim();
    if (!isOid(fetched)) throw damaged();
    return fetched;
  }

  /** Whether the commit and its trees are here now. A host may have forgotten a commit that no branch contains. */
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

  /** When it was committed. */
  async dateOf(commit: string): Promise<Date | undefined> {
    const text = (await this.outputOf(this.local(['cat-file', 'commit', commit]))).toString('latin1');
    const [, seconds] = /^committer .* (\d+) [+-]\d+$/m.exec(text) ?? [];
    return seconds ? new Date(Number(seconds) * 1000) : undefined;
  }

  /** All files, in a stable order. */
  async *files(commit: string): AsyncGenerator<TreeEntry> {
    for await (const record of this.listed(['ls-tree', '-r', '-z', '--full-tree', commit])) {
      const tab = record.indexOf(9);
      const [mode, , oid] = record.subarray(0, tab).toString('latin1').split(' ');
      if (!isOid(oid)) throw damaged();
      yield { mode, oid, name: record.subarray(tab + 1) };
    }
  }

  /** What differs between two commits, which need not be related. */
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
    for await (const record of this.listed(arguments_)) {
      if (!head) {
        head = record.toString('latin1').split(' ');
        if (head.length !== 5 || !isOid(head[3])) throw damaged();
        continue;
      }
      const [, mode, , oid, status] = head;
      yield { mode, oid, name: record, isRemoved: status === 'D' };
      head = null;
    }
  }

  /** The records that git writes about the files of a commit. */
  private async *listed(args: readonly string[]): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const record of readRecords(this.local(args), nul)) {
      bytes += record.length;
      if (bytes > this.limits.listedBytes)
        throw new GitFailure('too-large', 'The repository has too many files. Choose a smaller one.');
      yield record;
    }
  }

  /** The id of one file; null if the commit has none of this name. */
  async oidOf(commit: string, name: string): Promise<string | null> {
    const listed = await this.outputOf(this.local(['ls-tree', '-z', '--full-tree', commit, '--', name]));
    const [, oid = null] = /^100\d{3} blob ([\da-f]+)\t/.exec(listed.toString('latin1')) ?? [];
    return oid;
  }

  /** One exchange at a time: while one waits, another may fetch what it needs. */
  fetchFilesIfMissing(oid: string, upcoming: () => readonly string[]): Promise<void> {
    const turn = this.lastFetch.then(async () => {
      if ((await this.blobs.sizeOf(oid)) !== null) return;
      const missing: string[] = [];
      for (const one of upcoming()) if ((await this.blobs.sizeOf(one)) === null) missing.push(one);
      await this.fetchFiles([...new Set(missing)]);
    });
    this.lastFetch = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Makes files readable by `blobs`, as far as the host sends them. A file beyond the limit is remembered, so that it is
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
    await writeFile(path.join(this.folder, 'too-large'), [...this.tooLarge].join('\n'), { mode: 0o600 });
  }

  private async hasCommit(commit: string): Promise<boolean> {
    try {
      await this.outputOf(this.local(['cat-file', '-e', `${commit}^{tree}`]));
      return true;
    } catch (error) {
      if (error instanceof GitFailure && error.code !== 'not-installed') return false;
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
    // otherwise the host leaves out every file of the commits that are here, and believes that it has sent them before
    const negotiation = isForFiles ? ['-c', 'fetch.negotiationAlgorithm=noop'] : [];
    const running = this.transport.start([...negotiation, `--git-dir=${repositoryFolder}`, ...fetch, ...args], {
      maxSeconds: fetchSeconds,
      watch,
    });
    running.input.end(input);
    try {
      await readOutput(running, mebibyte);
      const bytes = await this.storedBytes(); // a fast fetch may end before `watch` sees it
      if (bytes > repositoryBytes) throw beyondLimit(bytes, repositoryBytes);
    } catch (error) {
      if (error instanceof GitFailure && error.code === 'too-large') await this.markDamaged();
      await this.removeTemporaryFiles();
      throw error;
    }
  }

  /** Reads what is stored. */
  private local(args: readonly string[], maxSeconds = localSeconds): GitProcess {
    const environment = { GIT_OBJECT_DIRECTORY: `${repositoryFolder}/objects` };
    return this.start([`--git-dir=${readerFolder}`, ...args], { maxSeconds, environment });
  }

  private start(
    args: readonly string[],
    options: Pick<GitProgram, 'maxSeconds' | 'environment'> = { maxSeconds: localSeconds },
  ): GitProcess {
    const { host } = this.transport.address;
    return new GitProcess({ ...options, command: gitCommand(...args), folder: this.folder, host, signal: this.signal });
  }

  private async run(args: readonly string[]): Promise<Buffer> {
    return this.outputOf(this.start(args));
  }

  private outputOf(process: GitProcess): Promise<Buffer> {
    process.input.end();
    return readOutput(process, mebibyte);
  }

  private async storedBytes(): Promise<number> {
    const folder = path.join(this.folder, repositoryFolder, 'objects', 'pack');
    const names = await readdir(folder).catch(() => []);
    const sizes = names.map((name) =>
      stat(path.join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }

  private async packs(): Promise<string[]> {
    const folder = path.join(this.folder, repositoryFolder, 'objects', 'pack');
    return (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.pack'));
  }

  /** A fetch that was killed leaves parts of packs and locks. Nobody else fetches into this folder. */
  private async removeTemporaryFiles(): Promise<void> {
    const repository = path.join(this.folder, repositoryFolder);
    const folders = ['objects/pack', '.', 'refs/heads'];
    for (const folder of folders)
      for (const name of await readdir(path.join(repository, folder)).catch(() => []))
        if (/^tmp_|\.lock$|^shallow_/.test(name)) await rm(path.join(repository, folder, name), { force: true });
  }
}

const damaged = () => new GitFailure('corrupt', 'The stored copy of the repository is damaged.');

const beyondLimit = (bytes: number, limit: number) =>
  new GitFailure('too-large', `The repository ${tooLargeReason(bytes, limit)}. Choose a smaller one.`);

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Where the copies of all repositories are: a folder for each organization, and in it one for each connection. */
export const gitFolder = (dataDir: string): string => path.join(dataDir, 'git');

/** The folder of one connection. */
export async function createStorage(root: string, tenantId: string, connectionId: string): Promise<string> {
  const folder = path.join(root, tenantId, connectionId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}
