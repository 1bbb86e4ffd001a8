import { trimTrailing } from '../text/trim-trailing.js';
import type { StepBudget } from './step-budget.js';
import { matchesGlob, parseGlob } from './glob.js';

type PathSegment = NonNullable<ReturnType<typeof parseGlob>> | '**';

interface IgnoreRule {
  segments: PathSegment[];
  isNegated: boolean;
  isForFolders: boolean;
}

const maxIgnoreLineLength = 1000;

/** The patterns of one .gitignore file, see gitignore(5). Paths are relative to its folder. */
export class GitIgnore {
  private readonly rules: IgnoreRule[];

  constructor(text: string) {
    this.rules = text
      .split(/\r?\n/)
      .filter((line) => line.length <= maxIgnoreLineLength)
      .map(trimTrailingBlanks)
      .filter((line) => line && !line.startsWith('#'))
      .flatMap(parseIgnoreRule);
  }

  /** true: ignored; false: included by a "!" pattern; null: no pattern matches. The last matching pattern decides. */
  ignores(path: string, isFolder: boolean, budget: StepBudget): boolean | null {
    const names = path.split('/');
    const last = this.rules.findLast(
      ({ segments, isForFolders }) => (isFolder || !isForFolders) && matchesPath(segments, names, budget),
    );
    return last ? !last.isNegated : null;
  }
}

/** A trailing space counts if a backslash precedes it. */
function trimTrailingBlanks(line: string): string {
  const bare = trimTrailing(line, ' \t');
  return bare.endsWith('\\') && bare.length < line.length ? line.slice(0, bare.length + 1) : bare;
}

function parseIgnoreRule(line: string): IgnoreRule[] {
  const isNegated = line.startsWith('!');
  const pattern = isNegated ? line.slice(1) : line;
  const isForFolders = pattern.endsWith('/');
  const path = pattern.replace(/\/$/, '');
  if (!path) return [];
  const isAnchored = path.includes('/');
  const segments = path.replace(/^\//, '').split('/');
  const read = segments.map((segment) => (segment === '**' ? '**' : parseGlob(segment)));
  if (read.includes(null)) return [];
  return [{ segments: [...(isAnchored ? [] : ['**' as const]), ...(read as PathSegment[])], isNegated, isForFolders }];
}

/** "**" matches any number of folders; at the end of a pattern it matches at least one name. */
function matchesPath(segments: readonly PathSegment[], names: readonly string[], budget: StepBudget): boolean {
  // reachable[n]: the segments so far can match the first n names
  let reachable = [true, ...names.map(() => false)];
  segments.forEach((segment, index) => {
    const isLast = index === segments.length - 1;
    const next = reachable.map(() => false);
    budget.spend(names.length);
    for (let n = 0; n < reachable.length; n++) {
      if (!reachable[n]) continue;
      if (segment === '**') {
        // "**" can match any number of further names
        next.fill(true, isLast ? n + 1 : n);
        break;
      } else if (n < names.length && matchesGlob(segment, names[n], budget)) next[n + 1] = true;
    }
    reachable = next;
  });
  return reachable[names.length];
}
