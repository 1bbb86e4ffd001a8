/** The patterns of one .gitignore, as gitignore(5) describes them. Paths are relative to the folder that it lies in. */
export class GitIgnore {
  private readonly rules: { pattern: RegExp; isNegated: boolean; isForFolders: boolean }[];

  constructor(text: string) {
    this.rules = text
      .split(/\r?\n/)
      .map((line) => line.replace(/(?<!\\)[ \t]+$/, ''))
      .filter((line) => line && !line.startsWith('#'))
      .flatMap(rule);
  }

  /** true: ignored; false: taken back by a "!" pattern; null: says nothing. The last pattern that matches decides. */
  ignores(path: string, isFolder: boolean): boolean | null {
    const last = this.rules.findLast(({ pattern, isForFolders }) => (isFolder || !isForFolders) && pattern.test(path));
    return last ? !last.isNegated : null;
  }
}

function rule(line: string) {
  const isNegated = line.startsWith('!');
  const words = isNegated ? line.slice(1) : line;
  const isForFolders = words.endsWith('/');
  const glob = words.replace(/\/$/, '');
  if (!glob) return [];
  const isAnchored = glob.includes('/');
  try {
    return [
      {
        pattern: new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${translate(glob.replace(/^\//, ''))}$`, 'su'),
        isNegated,
        isForFolders,
      },
    ];
  } catch {
    return []; // a broken class such as "[z-a]" matches nothing
  }
}

const pieces = /\\(.)|^\*\*\/|\/\*\*\/|\/\*\*$|\*+|\?|\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]|[\s\S]/gu;

const translate = (glob: string): string =>
  glob.replace(pieces, (found, escaped?: string, negation?: string, members?: string) => {
    if (escaped !== undefined) return literal(escaped);
    if (members !== undefined)
      return `(?!/)[${negation ? '^' : ''}${members.replace(/[[\]^]/g, '\\$&').replace(/\\\\([[\]^])/g, '\\$1')}]`;
    if (found === '**/') return '(?:.*/)?';
    if (found === '/**/') return '/(?:.*/)?';
    if (found === '/**') return '/.*';
    if (found.startsWith('*')) return '[^/]*';
    return found === '?' ? '[^/]' : literal(found);
  });

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
