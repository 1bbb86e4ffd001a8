import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** A folder that may not be read, or not by us. The message is for the person who set it up. */
export class FolderNotAllowed extends Error {}

/** The real folder behind what was typed, if it lies below a root that the operator allows. Links count by where they lead. */
export async function resolveFolder(requested: string, allowed: readonly string[]): Promise<string> {
  if (!allowed.length)
    throw new FolderNotAllowed('The operator allows no folders yet: FOLDER_ROOTS names those that may be read.');
  if (!path.isAbsolute(requested)) throw new FolderNotAllowed('The folder has to be an absolute path on the server.');
  const roots = await Promise.all(allowed.map((root) => realpath(root).catch(() => null)));
  // checked before we look: a folder elsewhere must not even be told to exist
  if (
    !allowed.some((root) => isWithinFolder(path.resolve(requested), root)) &&
    !roots.some((root) => root && isWithinFolder(path.resolve(requested), root))
  )
    throw outsideAllowedRoots();
  const real = await realpath(requested).catch((error: NodeJS.ErrnoException) => {
    throw new FolderNotAllowed(
      error.code === 'EACCES' ? 'The server may not read this folder.' : 'There is no such folder on the server.',
    );
  });
  if (!roots.some((root) => root && isWithinFolder(real, root))) throw outsideAllowedRoots();
  if (!(await stat(real)).isDirectory()) throw new FolderNotAllowed('This is a file, not a folder.');
  return real;
}

export const isWithinFolder = (name: string, root: string): boolean =>
  name === root || name.startsWith(root.endsWith(path.sep) ? root : root + path.sep);

const outsideAllowedRoots = () =>
  new FolderNotAllowed('This folder is not below one that the operator allows (FOLDER_ROOTS).');
