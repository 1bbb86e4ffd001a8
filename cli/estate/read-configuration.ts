import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { maxFileBytes } from '../../src/estate/parsing/parse.js';
import { readFileWithin } from '../../src/platform/files/read-file-within.js';
import { UnreadableFile } from '../../src/platform/files/unreadable-file.js';
import type { FoundFile } from './configuration-search.js';
import { hasHistories, maxHistoryBytes } from './server-blocks.js';

/** The content of a configuration file, or why it is not available. */
export interface FileContent {
  bytes: Uint8Array | null;
  reason: string | null;
  size: number;
  modifiedAt: Date | null;
}

const maxReadAttempts = 3;

/** Node replaces the bytes of such a name, so that it leads nowhere. */
export const notUtf8Reason = 'has a name that is not UTF-8';
export const mayNotBeUtf8 = (name: string): boolean => name.includes('\ufffd');

/** Reads a file within its folder. A file that changes meanwhile is read again. */
export async function readConfiguration({ root, target, known }: FoundFile): Promise<FileContent> {
  const file = path.join(root, target);
  const limit = hasHistories(known.client, known.isSettings) ? maxHistoryBytes : maxFileBytes;
  let before = await statsOf(file);
  // opening a device may have an effect
  if (before && !before.isFile()) return contentOf(before, null, 'is not a regular file');
  for (let attempt = 1; attempt <= maxReadAttempts; attempt++)
    try {
      const bytes = await readFileWithin(root, target, limit);
      const after = await statsOf(file);
      if (after && after.size === before?.size && after.mtimeMs === before.mtimeMs)
        return contentOf(after, bytes, null);
      before = after;
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      return contentOf(before, null, mayNotBeUtf8(target) ? notUtf8Reason : error.message);
    }
  return contentOf(before, null, 'changed while it was read');
}

const statsOf = (file: string): Promise<Stats | null> => stat(file).catch(() => null);

const contentOf = (stats: Stats | null, bytes: Uint8Array | null, reason: string | null): FileContent => ({
  bytes,
  reason,
  size: stats?.size ?? 0,
  modifiedAt: stats?.mtime ?? null,
});
