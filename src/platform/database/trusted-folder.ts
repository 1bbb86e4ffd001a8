import fs from 'node:fs';
import path from 'node:path';

/*
 * Another account of the machine may have prepared these folders. They are checked before anything in them is used or
 * run.
 */

const writableByOthers = 0o022;

/** Requires a folder (not a symbolic link) that belongs to the account and that no other account may enter. */
export function requirePrivateFolder(folder: string, uid: number | undefined): void {
  requireFolder(folder, uid, 0o077, 'accessible to other accounts');
}

/** Requires a folder (not a symbolic link) that belongs to the account and that no other account may write to. */
export function requireTrustedFolder(folder: string, uid: number | undefined): void {
  requireFolder(folder, uid, writableByOthers, 'writable by other accounts');
}

/** Requires the same of all entries below the folder. Links may only point inside it. */
export function requireTrustedTree(root: string, uid: number): void {
  requireTrustedFolder(root, uid);
  for (const entry of fs.readdirSync(root, { withFileTypes: true, recursive: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const { uid: owner, mode } = fs.lstatSync(file);
    if (owner !== uid) throw untrusted(file, `belongs to the account ${owner}, not to ${uid}`);
    if (entry.isSymbolicLink()) {
      const target = path.resolve(path.dirname(file), fs.readlinkSync(file));
      if (!target.startsWith(root + path.sep)) throw untrusted(file, 'is a link to a target outside its folder');
    } else if (mode & writableByOthers) throw untrusted(file, 'is writable by other accounts');
  }
}

function requireFolder(folder: string, uid: number | undefined, forbidden: number, what: string): void {
  const stats = fs.lstatSync(folder);
  if (!stats.isDirectory()) throw untrusted(folder, 'is not a folder');
  if (uid === undefined) return; // a system without numeric accounts
  if (stats.uid !== uid) throw untrusted(folder, `belongs to the account ${stats.uid}, not to ${uid}`);
  if (stats.mode & forbidden) throw untrusted(folder, `is ${what} (mode ${(stats.mode & 0o777).toString(8)})`);
}

const untrusted = (file: string, why: string) =>
  new Error(`embedded PostgreSQL: ${file} ${why}. Remove it or correct its owner and mode, then start again.`);
