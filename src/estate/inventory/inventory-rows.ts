import type { EstateEntry } from './estate-entry.entity.js';
import type { EstateFile } from './estate-file.entity.js';
import type { EstateServer } from './estate-server.entity.js';
import type { EstateSource } from '../estate-source.entity.js';
import type { EstateVersion } from './estate-version.entity.js';
import type { OwnedRow } from '../owner-visibility.js';

/* What the inventory returns of its entities. Rows are what the statements return, with unmasked values. */

export interface InventoryCounts {
  devices: number;
  folders: number;
  files: number;
  servers: number;
}

export type InventoryFile = Omit<EstateFile, 'parser'>;
export type FileRow = Omit<InventoryFile, 'owner'> & OwnedRow;

export type InventorySource = Omit<EstateSource, 'key' | 'connectionRevision' | 'collectedAt' | 'runId' | 'failures'>;
export type SourceRow = Omit<InventorySource, 'owner'> & OwnedRow;

export type InventoryServer = Omit<EstateServer, 'identity'>;

export type EntryRow = Omit<EstateEntry, 'file' | 'server'>;
export interface InventoryEntry extends EntryRow {
  file: InventoryFile;
  server: InventoryServer;
}

export type InventoryVersion = Omit<EstateVersion, 'digest'>;
