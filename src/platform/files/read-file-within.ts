import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { readFailureReason } from './read-failure-reason.js';
import { isWithinFolder } from './allowed-folder.js';
import { UnreadableFile } from './unreadable-file.js';

/** The bytes of a regular file below the root. What it is, is decided on the open file, not on its name: names change hands. */
export async function readFileWithin(root: string, name: string, limit: number): Promise<Uint8Array> {
  const requestedPath = path.join(root, name);
  try {
    // without O_NONBLOCK opening a pipe would wait for its writer
    await using file = await open(requestedPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat({ bigint: true });
    if (!found.isFile()) throw new UnreadableFile('is not a regular file');
    // a folder on the way may have become a link since it was listed
    const real = await realpath(process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : requestedPath);
    if (!isWithinFolder(real, root)) throw new UnreadableFile('leads out of the folder');
    if (found.size > limit) throw new UnreadableFile(tooLargeReason(found.size, limit));
    const bytes = Buffer.alloc(Number(found.size));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile(readFailureReason(error));
  }
}

const formatMib = (bytes: number | bigint) => `${(Number(bytes) / 2 ** 20).toFixed(1)} MiB`;
export const tooLargeReason = (size: number | bigint, limit: number): string =>
  `is larger (${formatMib(size)}) than what is read (${formatMib(limit)})`;
