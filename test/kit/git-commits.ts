import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';

export interface CommitChanges {
  /** Contents by name. Null removes the file. */
  files?: Record<string, string | Buffer | null>;
  /** Names that are not UTF-8, in Latin-1. */
  rawFiles?: Record<string, string>;
  links?: Record<string, string>;
  /** Commits by name. */
  submodules?: Record<string, string>;
  branch?: string;
  /** Starts a new history on the branch: a force-push. */
  isRoot?: boolean;
  at?: number;
}

/** A bare repository on this machine, as a Git host stores it. */
export class HostedRepository {
  private constructor(
    readonly root: string,
    readonly name: string,
  ) {}

  static create(root: string, name: string, { allowsFilter = true, objectFormat = 'sha1' } = {}): HostedRepository {
    mkdirSync(root, { recursive: true });
    const repository = new HostedRepository(root, name);
    git(['init', '--quiet', '--bare', '--initial-branch=main', `--object-format=${objectFormat}`, repository.folder]);
    repository.set('uploadpack.allowFilter', String(allowsFilter));
    repository.set('http.receivepack', 'false');
    return repository;
  }

  get folder(): string {
    return path.join(this.root, this.name);
  }

  set(setting: string, value: string): void {
    this.git(['config', setting, value]);
  }

  git(args: readonly string[], input?: string | Buffer): string {
    return git([`--git-dir=${this.folder}`, ...args], input);
  }

  /** Returns the new commit. */
  commit({ files = {}, rawFiles = {}, links = {}, submodules = {}, ...where }: CommitChanges): string {
    const { branch = 'main', isRoot = false, at = 1_764_000_000 } = where;
    const ref = `refs/heads/${branch}`;
    const parts: Buffer[] = [];
    const line = (text: string, encoding: BufferEncoding = 'utf8') => parts.push(Buffer.from(`${text}\n`, encoding));
    const data = (bytes: Buffer) => {
      line(`data ${bytes.length}`);
      parts.push(bytes, Buffer.from('\n'));
    };
    if (isRoot) line(`reset ${ref}`);
    line(`commit ${ref}`);
    line(`committer Ada <ada@example.com> ${at} +0000`);
    data(Buffer.from('change'));
    if (!isRoot && this.has(ref)) line(`from ${ref}^0`);
    for (const [name, content] of Object.entries(files)) {
      if (content === null) line(`D ${quoted(name)}`);
      else {
        line(`M 100644 inline ${quoted(name)}`);
        data(Buffer.from(content));
      }
    }
    for (const [name, content] of Object.entries(rawFiles)) {
      line(`M 100644 inline ${quoted(name)}`, 'latin1');
      data(Buffer.from(content));
    }
    for (const [name, target] of Object.entries(links)) {
      line(`M 120000 inline ${quoted(name)}`);
      data(Buffer.from(target));
    }
    for (const [name, commit] of Object.entries(submodules)) line(`M 160000 ${commit} ${quoted(name)}`);
    this.git(['fast-import', '--quiet', '--force'], Buffer.concat(parts));
    return this.git(['rev-parse', ref]).trim();
  }

  private has(ref: string): boolean {
    return this.git(['for-each-ref', '--format=%(refname)', ref]).trim() === ref;
  }
}

const quoted = (name: string): string => `"${name.replace(/["\\]/g, (letter) => `\\${letter}`).replace(/\n/g, '\\n')}"`;

function git(args: readonly string[], input?: string | Buffer): string {
  return execFileSync('git', args, {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' },
  });
}
