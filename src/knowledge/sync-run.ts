import type { QuarantineRecord } from './prepare-document.js';
import type { SourceProblem } from './source.entity.js';

const maxSyncProblems = 100;

/** The progress of one sync run. */
export class SyncRun {
  seen = 0;
  changed = 0;
  removed = 0;
  problemCount = 0;
  readonly problems: SourceProblem[] = [];
  private readonly seenIds = new Set<string>();
  private readonly offered = new Set<string>();
  private readonly closedFolders: string[] = [];

  constructor(
    readonly id: string,
    /** fingerprints of the stored documents, by name */
    readonly storedFingerprints: ReadonlyMap<string, string>,
    /** documents that must not be read again unless they changed, by name */
    readonly quarantined: ReadonlyMap<string, QuarantineRecord>,
  ) {}

  /**
   * Returns false for a repeated name: otherwise a source with duplicates would overwrite the document in every run.
   */
  markSeen(externalId: string): boolean {
    if (this.seenIds.has(externalId)) return false;
    this.seenIds.add(externalId);
    if (this.quarantined.has(externalId)) this.offered.add(externalId);
    this.seen++;
    return true;
  }

  /** Documents in an unreadable folder (its name ends in "/") do not count as missing. */
  skip(externalId: string, reason: string): void {
    this.problemCount++;
    if (this.problems.length < maxSyncProblems)
      this.problems.push({
        externalId: storable(externalId, 1000),
        reason: storable(reason, 500),
      });
    if (externalId.endsWith('/')) this.closedFolders.push(externalId);
  }

  /** An unreadable document is removed from the index. A run that can read it adds it again. */
  unmarkSeen(externalId: string): void {
    this.seenIds.delete(externalId);
  }

  /** Quarantined documents that no longer exist. Valid only after a complete walk. */
  missingQuarantined(): string[] {
    return [...this.quarantined.keys()].filter((name) => !this.offered.has(name) && !this.isClosed(name));
  }

  /** Stored documents that no longer exist. Valid only after a complete walk. */
  missing(): string[] {
    return [...this.storedFingerprints.keys()].filter((name) => !this.seenIds.has(name) && !this.isClosed(name));
  }

  private isClosed(name: string): boolean {
    return this.closedFolders.some((folder) => folder === './' || name.startsWith(folder));
  }
}

const storable = (text: string, most: number): string => text.replaceAll('\0', '').slice(0, most).toWellFormed();
