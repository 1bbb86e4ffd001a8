import { escapeInvisible } from '../parsing/invisible-characters.js';
import type { ParseProblem } from '../configuration-file.js';
import { truncate } from '../../platform/text/truncate.js';

const maxScanProblems = 100;

/** The progress of one folder scan. */
export class ScanRun {
  readonly metIds: string[] = [];
  readonly problems: ParseProblem[] = [];
  problemCount = 0;
  added = 0;
  changed = 0;
  private readonly closedFolders: string[] = [];

  constructor(readonly id: string) {}

  /** If a folder (its name ends in "/") cannot be read, the files in it are not marked as gone. */
  skip(name: string, reason: string): void {
    this.problemCount++;
    if (name.endsWith('/')) this.closedFolders.push(name === './' ? '' : name);
    if (this.problems.length < maxScanProblems)
      this.problems.push({ place: truncate(escapeInvisible(name), 500), reason });
  }

  get unreadableFolders(): readonly string[] {
    return this.closedFolders;
  }
}
