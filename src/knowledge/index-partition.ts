import { sha256 } from '../platform/crypto/digest.js';
import type { DocumentKind } from './document.entity.js';

/** Ids of the groups that may read something: null is everybody who may use the connection, an empty list is nobody. */
export type ReaderGroups = readonly string[] | null;

/**
 * Documents of one connection and kind that the same groups may read stand on one shelf. A reader's search goes to the
 * shelves open to that reader, so that what stands on others is neither read, nor scored, nor counted.
 */
export interface IndexPartition {
  connectionId: string;
  kind: DocumentKind;
  groups: ReaderGroups;
}

/** The same shelf has the same id on every process, so that two writers need not meet to agree on one. */
export function partitionIdOf({ connectionId, kind, groups }: IndexPartition): string {
  const digest = sha256(JSON.stringify([connectionId, kind, sortedGroups(groups)])).toString('hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

export const sortedGroups = (groups: ReaderGroups): string[] | null => groups && [...new Set(groups)].sort();
