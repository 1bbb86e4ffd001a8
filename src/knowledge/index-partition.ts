import { sha256 } from '../platform/crypto/digest.js';
import type { DocumentKind } from './document.entity.js';

/** Ids of the groups with read access. Null means everyone who may use the connection; an empty list means nobody. */
export type ReaderGroups = readonly string[] | null;

/**
 * A partition (table `index_partitions`) holds the documents of one connection and kind that the same groups and the same
 * audience of the source may read. A search uses only the partitions that the reader may read, so other documents are
 * never read, scored or counted.
 */
export interface IndexPartition {
  connectionId: string;
  kind: DocumentKind;
  groups: ReaderGroups;
  /** Null: not restricted by the source. Otherwise a reader needs one of the groups and must be in the audience. */
  audienceId: string | null;
}

/** Derived from the content, so that concurrent writers use the same id without coordination. */
export function partitionIdOf({ connectionId, kind, groups, audienceId }: IndexPartition): string {
  const digest = sha256(
    JSON.stringify([connectionId, kind, sortedGroups(groups), ...(audienceId ? [audienceId] : [])]),
  ).toString('hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

export const sortedGroups = (groups: ReaderGroups): string[] | null => groups && [...new Set(groups)].sort();
