import type { QuarantineRecord } from './prepare-document.js';
import type { SourceProblem } from './source.entity.js';

const maxSyncProblems = 100;

/** What one reading of a source has met so far. */
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
    /** name and fingerprint of what is stored */
    readonly storedFingerprints: ReadonlyMap<string, string>,
    /** by name, what must not be read again unless it changed */
    readonly quarantined: ReadonlyMap<string, QuarantineRecord>,
  ) {}

  /** Told twice, the first one counts: a source that repeats a name would otherwise overwrite it in every run. */
  markSeen(externalId: string): boolean {
    if (this.seenIds.has(externalId)) return false;
    this.seenIds.add(externalId);
    if (this.quarantined.has(externalId)) this.offered.add(externalId);
    this.seen++;
    return true;
  }

  /** A folder (its name ends in "/") that cannot be looked into says nothing about what is in it. */
  skip(externalId: string, reason: string): void {
    this.problemCount++;
    if (this.problems.length < maxSyncProblems)
      this.problems.push({
        externalId: storable(externalId, 1000),
        reason: storable(reason, 500),
      });
    if (externalId.endsWith('/')) this.closedFolders.push(externalId);
  }

  /** Unreadable now means: not to be found now. It comes back with the run in which it can be read again. */
  unmarkSeen(externalId: string): void {
    this.seenIds.delete(externalId);
  }

  /** Quarantined, and not there any more. Only to be asked after a complete walk. */
  missingQuarantined(): string[] {
    return [...this.quarantined.keys()].filter((name) => !this.offered.has(name) && !this.isClosed(name));
  }

  /** Stored, and not there any more. Only to be asked after a complete walk. */
  missing(): string[] {
    return [...this.storedFingerprints.keys()].filter((name) => !this.seenIds.has(name) && !this.isClosed(name));
  }

  private isClosed(name: string): boolean {
    return this.closedFolders.some((folder) => folder === './' || name.startsWith(folder));
  }
}

const storable = (text: string, most: number): string => text.replaceAll('\0', '').slice(0, most).toWellFormed();
