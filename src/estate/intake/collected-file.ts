import type { FileScope } from '../configuration-file.js';

/** A file as a device or a folder provides it. */
export interface CollectedFile {
  path: string;
  /** The usual path of a file that its client stores elsewhere. Identifies the client instead of `path`. */
  location?: string;
  /** Null: not available; `reason` says why. */
  bytes: Uint8Array | null;
  reason?: string;
  size: number;
  modifiedAt: Date | null;
  ownerEmail: string | null;
  /** The device has replaced the secrets: `bytes` is not the file but its redacted form. */
  isRedacted?: boolean;
  /** Overrides the scope that the path implies. */
  scope?: FileScope;
}

/** The result counts of an intake. */
export interface IntakeCounts {
  added: number;
  changed: number;
  unchanged: number;
  gone: number;
}

export const emptyIntakeCounts = (): IntakeCounts => ({ added: 0, changed: 0, unchanged: 0, gone: 0 });
