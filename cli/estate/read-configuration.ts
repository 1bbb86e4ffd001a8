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

/** Reads a file within its folder. A file that changes meanwhile is read again. */
export async function readConfiguration({ root, target, known }: FoundFile): Promise<FileContent> {
  const limit = hasHistories(known.client, known.isSettings) ? maxHistoryBytes : maxFileBytes;
  let before = await sizeAndTime(root, target);
  for (let attempt = 1; attempt <= maxReadAttempts; attempt++)
    try {
      const bytes = await readFileWithin(root, target, limit);
      const after = await sizeAndTime(root, target);
      if (after.size === before.size && after.modifiedAt?.getTime() === before.modifiedAt?.getTime())
        return { ...after, bytes, reason: null };
      before = after;
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      return { ...before, bytes: null, reason: error.message };
    }
  return { ...before, bytes: null, reason: 'changed while it was read' };
}

async function sizeAndTime(root: string, target: string): Promise<Pick<FileContent, 'size' | 'modifiedAt'>> {
  const stats = await stat(path.join(root, target)).catch(() => null);
  return { size: stats?.size ?? 0, modifiedAt: stats?.mtime ?? null };
}
