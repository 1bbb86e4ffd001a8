import path from 'node:path';
import { GitIgnore } from '../../platform/files/gitignore.js';
import { PatternBudget } from '../../platform/files/pattern-budget.js';
import type { StepBudget } from '../../platform/files/step-budget.js';
import { excludedFolders, forgeFolders } from '../../platform/files/walk-folder.js';
import { isGeneratedFile } from '../files/document-file.js';
import { formatOfFile } from '../text/document-format.js';

const markingAttributes = ['linguist-generated', 'linguist-vendored'];

/** Selects the files of a repository that are documents, by name. */
export class RepositoryFileFilter {
  private readonly included: GitIgnore | null;
  private readonly excluded: GitIgnore;
  private readonly folders = new Map<string, boolean>();
  private readonly patterns = new PatternBudget('The patterns for files take too long to match. Simplify them.');

  /** Patterns as in .gitignore. Without `include`, all files are included. */
  constructor(
    include: readonly string[],
    exclude: readonly string[],
    private readonly marked: readonly GitIgnore[],
  ) {
    this.included = include.length ? new GitIgnore(include.join('\n')) : null;
    this.excluded = new GitIgnore(exclude.join('\n'));
  }

  async accepts(name: string): Promise<boolean> {
    if (!formatOfFile(name) || isGeneratedFile(name) || path.posix.basename(name).startsWith('.')) return false;
    const isAccepted = this.patterns.match((budget) => this.isSelected(name, budget));
    await this.patterns.pauseIfDue();
    return isAccepted;
  }

  private isSelected(name: string, budget: StepBudget): boolean {
    return (
      this.acceptsFolder(path.posix.dirname(name), budget) &&
      this.excluded.ignores(name, false, budget) !== true &&
      !this.marked.some((files) => files.ignores(name, false, budget)) &&
      (!this.included || this.isIncluded(name, budget))
    );
  }

  private isIncluded(name: string, budget: StepBudget): boolean {
    for (let at = name, isFolder = false; at !== '.'; at = path.posix.dirname(at), isFolder = true) {
      const isIncluded = this.included!.ignores(at, isFolder, budget);
      if (isIncluded !== null) return isIncluded;
    }
    return false;
  }

  private acceptsFolder(folder: string, budget: StepBudget): boolean {
    if (folder === '.') return true;
    const known = this.folders.get(folder);
    if (known !== undefined) return known;
    const accepted =
      this.acceptsFolder(path.posix.dirname(folder), budget) &&
      !isExcludedFolder(path.posix.basename(folder)) &&
      this.excluded.ignores(folder, true, budget) !== true;
    this.folders.set(folder, accepted);
    return accepted;
  }
}

const isExcludedFolder = (name: string): boolean =>
  excludedFolders.has(name) || (name.startsWith('.') && !forgeFolders.has(name));

/** Files that .gitattributes marks as generated or vendored, with the attributes that code hosts use. */
export const markedFiles = (attributes: string): GitIgnore[] =>
  markingAttributes.map((attribute) => {
    const rules = attributes.split(/\r?\n/).flatMap((line) => {
      const [pattern, ...values] = line.trim().split(/\s+/);
      if (!pattern || pattern.startsWith('#') || pattern.startsWith('"')) return [];
      return values.flatMap((value) => {
        if (value === attribute || value === `${attribute}=true`) return pattern;
        return value === `-${attribute}` || value === `${attribute}=false` ? `!${pattern}` : [];
      });
    });
    return new GitIgnore(rules.join('\n'));
  });
