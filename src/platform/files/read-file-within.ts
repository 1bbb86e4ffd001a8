import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { readFailureReason } from './read-failure-reason.js';
import { isWithinFolder } from './allowed-folder.js';
import { UnreadableFile } from './unreadable-file.js';

/**
 * The bytes of a regular file below the root. Checks apply to the open file, because its name may be replaced
 * meanwhile.
 */
export async function readFileWithin(root: string, name: string, limit: number): Promise<Uint8Array> {
  const requestedPath = path.join(root, name);
  try {
    // without O_NONBLOCK, opening a pipe would wait for a writer
    await using file = await open(requestedPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) throw new UnreadableFile('is not a regular file');
    // a parent folder may have been replaced by a link since it was listed
    const real = await realpath(process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : requestedPath);
    if (!isWithinFolder(real, root)) throw new UnreadableFile('is outside of the folder');
    if (stats.size > limit) throw new UnreadableFile(tooLargeReason(stats.size, limit));
    const bytes = Buffer.alloc(Number(stats.size));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile(readFailureReason(error));
  }
}

const formatMib = (bytes: number | bigint) => `${(Number(bytes) / 2 ** 20).toFixed(1)} MiB`;
export const tooLargeReason = (size: number | bigint, limit: number): string =>
  `is too large: ${formatMib(size)}, the limit is ${formatMib(limit)}`;
