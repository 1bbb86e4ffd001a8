import type { JsonObject } from '../platform/json/strict-json.js';
import type { SourceQuota } from '../connections/knowledge-source.port.js';
import type { QuarantineRecord } from './prepare-document.js';
import { SeenDocuments } from './seen-documents.js';
import type { PassKind, SourceProblem } from './source.entity.js';

const maxSyncProblems = 100;

/** The state of a pass. Stored at each checkpoint, because a pass may outlive its process. */
export interface PassState {
  seen: number;
  changed: number;
  removed: number;
  problemCount: number;
  problems: SourceProblem[];
  /** Folders that could not be listed. Their documents do not count as missing. */
  closedFolders: string[];
  /** Quarantined documents that the source still has. */
  offered: string[];
  /** Where the next `changes` starts. */
  cursor: JsonObject | null;
  expected: number | null;
  /** The webhook hints that the pass includes. They are deleted when it completes. */
  hintIds: string[];
  /** Documents that the listing could not process in time. Their stored versions stay, except those with other readers. */
  deferred: number;
}

export const newPassState = (hintIds: string[]): PassState => ({
  seen: 0,
  changed: 0,
  removed: 0,
  problemCount: 0,
  problems: [],
  closedFolders: [],
  offered: [],
  cursor: null,
  expected: null,
  hintIds,
  deferred: 0,
});

/** A stored or new pass. */
export interface Pass {
  id: string;
  kind: PassKind;
  startedAt: Date;
  /** Null before the first checkpoint. */
  progress: JsonObject | null;
  state: PassState;
  /** The marks of the documents that the pass has seen, one block per checkpoint. */
  marks: readonly Buffer[];
  /** Of the last pass with the same settings. Never null for `changes`. */
  cursor: JsonObject | null;
  hints: readonly JsonObject[];
}

/** The run of a pass in one process. */
export class SyncRun {
  readonly state: PassState;
  readonly seenDocuments: SeenDocuments;
  quota: SourceQuota | null = null;
  /** The number of the next block of marks. */
  nextBlock: number;

  constructor(
    readonly id: string,
    readonly pass: Pass,
    /** Documents that must not be read again unless they changed, by name. */
    readonly quarantined: ReadonlyMap<string, QuarantineRecord>,
  ) {
    this.state = pass.state;
    this.seenDocuments = new SeenDocuments(pass.marks);
    this.nextBlock = pass.marks.length;
  }

  /**
   * Returns false for a repeated name in a listing: otherwise a source with duplicates would overwrite the document in
   * every run.
   */
  markSeen(externalId: string): boolean {
    if (this.pass.kind === 'listing' && !this.seenDocuments.add(externalId)) return false;
    if (this.quarantined.has(externalId)) this.state.offered.push(externalId);
    this.state.seen++;
    return true;
  }

  /** Reports a document, or a folder (its name ends in "/"), whose documents then do not count as missing. */
  skip(externalId: string, reason: string): void {
    const isFolder = externalId.endsWith('/');
    // a pass that continues reports its unreadable folders again
    if (isFolder && this.state.closedFolders.includes(externalId)) return;
    this.skipDocument(externalId, reason);
    if (isFolder) this.state.closedFolders.push(externalId);
  }

  /** Reports a document that the source returned. Its name may end in "/", as the address of a page may. */
  skipDocument(externalId: string, reason: string): void {
    this.state.problemCount++;
    if (this.state.problems.length < maxSyncProblems)
      this.state.problems.push({
        externalId: storable(externalId, 1000),
        reason: storable(reason, 500),
      });
  }

  /** The stored version is outdated or missing, so the listing has to be repeated soon. */
  defer(externalId: string): void {
    this.state.deferred++;
    this.skipDocument(externalId, 'is deferred to the next sync because the server is too busy');
  }

  /** An unreadable document is erased. If the source returns it again in the same pass, it is read again. */
  unmarkSeen(externalId: string): void {
    this.seenDocuments.delete(externalId);
  }

  /** Quarantined documents that no longer exist. Valid only after a complete listing. */
  missingQuarantined(): string[] {
    const offered = new Set(this.state.offered);
    return [...this.quarantined.keys()].filter((name) => !offered.has(name) && !this.isClosed(name));
  }

  /** A stored document no longer exists. Valid only after a complete listing. */
  isMissing(externalId: string): boolean {
    return !this.seenDocuments.has(externalId) && !this.isClosed(externalId);
  }

  private isClosed(name: string): boolean {
    return this.state.closedFolders.some((folder) => folder === './' || name.startsWith(folder));
  }
}

const storable = (text: string, most: number): string => text.replaceAll('\0', '').slice(0, most).toWellFormed();
