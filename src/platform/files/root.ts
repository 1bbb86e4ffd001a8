import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** A folder that may not be read, or not by us. The message is for the person who set it up. */
export class FolderRefused extends Error {}

/** The real folder behind what was typed, if it lies below a root that the operator allows. Links count by where they lead. */
export async function resolveFolder(typed: string, allowed: readonly string[]): Promise<string> {
  if (!allowed.length)
    throw new FolderRefused('The operator allows no folders yet: FOLDER_ROOTS names those that may be read.');
  if (!path.isAbsolute(typed)) throw new FolderRefused('The folder has to be an absolute path on the server.');
  const roots = await Promise.all(allowed.map((root) => realpath(root).catch(() => null)));
  // checked before we look: a folder elsewhere must not even be told to exist
  if (
    !allowed.some((root) => isBelow(path.resolve(typed), root)) &&
    !roots.some((root) => root && isBelow(path.resolve(typed), root))
  )
    throw outside();
  const real = await realpath(typed).catch((error: NodeJS.ErrnoException) => {
    throw new FolderRefused(
      error.code === 'EACCES' ? 'The server may not read this folder.' : 'There is no such folder on the server.',
    );
  });
  if (!roots.some((root) => root && isBelow(real, root))) throw outside();
  if (!(await stat(real)).isDirectory()) throw new FolderRefused('This is a file, not a folder.');
  return real;
}

export const isBelow = (name: string, root: string): boolean =>
  name === root || name.startsWith(root.endsWith(path.sep) ? root : root + path.sep);

const outside = () => new FolderRefused('This folder is not below one that the operator allows (FOLDER_ROOTS).');
