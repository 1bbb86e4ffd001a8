import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { requirePrivateFolder } from './trusted-folder.js';

const socketName = '.s.PGSQL.5432';
const longestSocketPath = 107; // sun_path without the terminating NUL

/** The account that runs PostgreSQL if this process runs as root. */
export interface ServerAccount {
  uid: number;
  gid: number;
}

export interface SocketFolder {
  folder: string;
  isTemporary: boolean;
}

/** The data folder, which only its owner can enter, or a new private folder if its path is too long for a socket. */
export function chooseSocketFolder(dataDir: string, user: ServerAccount | undefined): SocketFolder {
  if (Buffer.byteLength(path.join(dataDir, socketName)) <= longestSocketPath)
    return { folder: dataDir, isTemporary: false };
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pg-')); // 0700, with an unpredictable name
  if (user) fs.lchownSync(folder, user.uid, user.gid);
  requirePrivateFolder(folder, user?.uid ?? process.getuid?.());
  return { folder, isTemporary: true };
}

/** The socket folder of the server that already runs on the data folder, from the fifth line of its lock file. */
export function runningSocketFolder(dataDir: string, uid: number | undefined): string | undefined {
  let lock: string;
  try {
    lock = fs.readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // the server is stopping
    throw error;
  }
  const folder = lock.split('\n')[4];
  if (!folder) return undefined; // the server is starting
  requirePrivateFolder(folder, uid);
  return folder;
}
