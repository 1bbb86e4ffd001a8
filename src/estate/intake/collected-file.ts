import type { FileScope } from '../configuration-file.js';

/** A file as a device or a folder shows it. */
export interface CollectedFile {
  path: string;
  /** null where it could not be had; `reason` says why. */
  bytes: Uint8Array | null;
  reason?: string;
  size: number;
  modifiedAt: Date | null;
  ownerEmail: string | null;
  /** Where whoever found it knows better than its path tells. */
  scope?: FileScope;
}

/** What an intake did. */
export interface IntakeCounts {
  added: number;
  changed: number;
  unchanged: number;
  gone: number;
}

export const emptyIntakeCounts = (): IntakeCounts => ({ added: 0, changed: 0, unchanged: 0, gone: 0 });
