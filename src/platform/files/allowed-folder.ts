import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** The server may not or cannot read this folder. The message is for the person who configured it. */
export class FolderNotAllowed extends Error {}

/** The real path of a configured folder, if it is below a root that the operator allows. Links are resolved first. */
export async function resolveFolder(requested: string, allowed: readonly string[]): Promise<string> {
  if (!path.isAbsolute(requested)) throw new FolderNotAllowed('Enter an absolute path on the server.');
  if (!allowed.length)
    throw new FolderNotAllowed(
      `The operator has not allowed any folders. Set FOLDER_ROOTS=${path.resolve(requested)} in the environment of the server, and restart it.`,
    );
  const roots = await Promise.all(allowed.map((root) => realpath(root).catch(() => null)));
  // before any access: the response must not reveal whether a folder outside of the roots exists
  if (
    !allowed.some((root) => isWithinFolder(path.resolve(requested), root)) &&
    !roots.some((root) => root && isWithinFolder(path.resolve(requested), root))
  )
    throw outsideAllowedRoots();
  const real = await realpath(requested).catch((error: NodeJS.ErrnoException) => {
    throw new FolderNotAllowed(
      error.code === 'EACCES'
        ? 'The server has no permission to read this folder.'
        : 'This folder does not exist on the server.',
    );
  });
  if (!roots.some((root) => root && isWithinFolder(real, root))) throw outsideAllowedRoots();
  if (!(await stat(real)).isDirectory()) throw new FolderNotAllowed('This is a file, not a folder.');
  return real;
}

export const isWithinFolder = (name: string, root: string): boolean =>
  name === root || name.startsWith(root.endsWith(path.sep) ? root : root + path.sep);

const outsideAllowedRoots = () =>
  new FolderNotAllowed(
    'This folder is outside of the folders that the operator allows. Add it to FOLDER_ROOTS in the environment of the server, separated by a comma, and restart the server.',
  );
