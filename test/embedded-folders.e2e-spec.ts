import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as embedded from '../src/platform/database/embedded.js';

/* Another account of the machine prepares folders before the embedded database starts. */

const isRoot = process.getuid?.() === 0;
const stranger = 12345;
let folder: string;
const running: embedded.EmbeddedServer[] = [];
const planted: string[] = [];

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cs-embedded-'));
  fs.chmodSync(folder, 0o755);
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  for (const file of planted.splice(0)) fs.rmSync(file, { force: true, recursive: true });
  fs.rmSync(folder, { recursive: true, force: true });
});

async function start(dataDir: string) {
  const server = await embedded.startEmbeddedPostgres({ dataDir, database: 'ours', settings: { fsync: 'off' } });
  running.push(server);
  return server;
}

/** The predictable folder in which former versions created the socket. */
function formerSocketFolder(dataDir: string): string {
  const hash = createHash('sha1').update(path.resolve(dataDir)).digest('hex').slice(0, 10);
  const place = path.join(os.tmpdir(), `pg-${hash}`);
  planted.push(place);
  return place;
}

async function answers({ url }: embedded.EmbeddedServer): Promise<boolean> {
  const client = new pg.Client(url);
  await client.connect();
  const { rowCount } = await client.query('select 1');
  await client.end();
  return rowCount === 1;
}

describe('the socket folder of the embedded database', () => {
  it('is not redirected by a planted link with a predictable name', async () => {
    const victim = path.join(folder, 'victim');
    fs.mkdirSync(victim, { mode: 0o755 });
    const before = fs.statSync(victim);
    const dataDir = path.join(folder, 'postgres');
    fs.symlinkSync(victim, formerSocketFolder(dataDir));

    const server = await start(dataDir);

    expect(await answers(server)).toBe(true);
    expect(fs.readdirSync(victim)).toEqual([]);
    const after = fs.statSync(victim);
    expect([after.uid, after.mode]).toEqual([before.uid, before.mode]);
  });

  it('is never a folder that another account has created', async () => {
    const dataDir = path.join(folder, 'postgres');
    const trap = formerSocketFolder(dataDir);
    fs.mkdirSync(trap);
    fs.chmodSync(trap, 0o777);

    const server = await start(dataDir);

    expect(fs.readdirSync(trap)).toEqual([]);
    const { mode } = fs.statSync(server.host);
    expect(mode & 0o077).toBe(0);
  });

  it('is private and unpredictable if the data folder path is too long, and is removed with the server', async () => {
    const dataDir = path.join(folder, 'x'.repeat(100), 'postgres');
    const first = await start(dataDir);
    const { host } = first;
    expect(fs.lstatSync(host).mode & 0o077).toBe(0);
    expect(Buffer.byteLength(path.join(host, '.s.PGSQL.5432'))).toBeLessThanOrEqual(107);
    const second = await start(dataDir); // adopts it
    expect(second.adopted).toBe(true);
    expect(second.host).toBe(host);
    expect(await answers(second)).toBe(true);
    await first.stop();
    expect(fs.existsSync(host)).toBe(false);
    const third = await start(dataDir);
    expect(third.host).not.toBe(host);
  });

  it('is rejected by a second process if other accounts can enter it', async () => {
    const dataDir = path.join(folder, 'x'.repeat(100), 'postgres');
    await start(dataDir);
    const lock = path.join(dataDir, 'postmaster.pid');
    const trap = path.join(folder, 'trap');
    fs.mkdirSync(trap);
    fs.chmodSync(trap, 0o777);
    const honest = fs.readFileSync(lock, 'utf8');
    fs.writeFileSync(lock, honest.split('\n').with(4, trap).join('\n'));
    await expect(start(dataDir)).rejects.toThrow(/trap .*Remove it or correct/);
    fs.writeFileSync(lock, honest);
  });
});

describe('the data folder of the embedded database', () => {
  it('is rejected if other accounts can enter it', async () => {
    const dataDir = path.join(folder, 'postgres');
    await (await start(dataDir)).stop();
    fs.chmodSync(dataDir, 0o777);
    await expect(start(dataDir)).rejects.toThrow(/postgres is accessible to other accounts \(mode 777\)/);
  });

  it.runIf(isRoot)('is rejected if it belongs to another account', async () => {
    const dataDir = path.join(folder, 'postgres');
    await (await start(dataDir)).stop();
    fs.chownSync(dataDir, stranger, stranger);
    await expect(start(dataDir)).rejects.toThrow(/belongs to the account 12345/);
  });
});

/** Only root copies the binaries, because only root runs them as another account. */
describe.runIf(isRoot)('the copy of the binaries', () => {
  let native: string;
  const shared = () => path.join(folder, 'shared');
  const copy = () => embedded.copyBinaries(native, shared());

  beforeEach(() => {
    native = path.join(folder, 'package', 'native');
    fs.mkdirSync(path.join(native, 'bin'), { recursive: true });
    fs.writeFileSync(path.join(native, '../package.json'), '{"version": "1.2.3"}');
    fs.writeFileSync(path.join(native, 'bin/postgres'), '#!/bin/sh\n', { mode: 0o775 });
    fs.chmodSync(path.join(native, 'bin/postgres'), 0o775);
    fs.symlinkSync('postgres', path.join(native, 'bin/postmaster'));
  });

  it('is readable and executable by all accounts, and writable by root only', () => {
    const made = copy();
    const { uid, mode } = fs.statSync(path.join(made, 'bin/postgres'));
    expect([uid, mode & 0o777]).toEqual([0, 0o755]);
    expect(copy()).toBe(made);
    expect(fs.readdirSync(shared())).toEqual(['embedded-pg-1.2.3']);
  });

  it.each([
    ['the shared folder belongs to another account', () => fs.chownSync(shared(), stranger, stranger)],
    ['other accounts can write to the shared folder', () => fs.chmodSync(shared(), 0o777)],
    ['a binary belongs to another account', () => fs.lchownSync(program(), stranger, stranger)],
    ['other accounts can write to a binary', () => fs.chmodSync(program(), 0o777)],
    [
      'a binary is a link to a target outside',
      () => {
        fs.rmSync(program());
        fs.symlinkSync('/bin/sh', program());
      },
    ],
    [
      'the copy is a link',
      () => {
        fs.renameSync(copied(), path.join(folder, 'elsewhere'));
        fs.symlinkSync(path.join(folder, 'elsewhere'), copied());
      },
    ],
  ])('is rejected if %s', (_, plant) => {
    copy();
    plant();
    expect(copy).toThrow(/^embedded PostgreSQL: .* Remove it or correct its owner and mode/);
  });

  const copied = () => path.join(shared(), 'embedded-pg-1.2.3');
  const program = () => path.join(copied(), 'bin/postgres');
});
