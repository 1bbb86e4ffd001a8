import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { diffLines, type DiffSegment, type DiffRow } from './line-diff.js';
import { diffSequences } from './sequence-diff.js';

const few = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

describe('diffSequences', () => {
  it('transforms one list into the other', () => {
    fc.assert(
      fc.property(few, few, (before, after) => {
        const runs = diffSequences(before, after);
        const without = (kind: string) => runs.filter((run) => run.kind !== kind).flatMap(({ items }) => items);
        expect(without('new')).toEqual(before);
        expect(without('gone')).toEqual(after);
      }),
    );
  });

  it('finds a longest common subsequence', () => {
    const longest = ([a, ...as]: string[], [b, ...bs]: string[]): number => {
      if (a === undefined || b === undefined) return 0;
      return a === b ? longest(as, bs) + 1 : Math.max(longest(as, [b, ...bs]), longest([a, ...as], bs));
    };
    const short = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 7 });
    fc.assert(
      fc.property(short, short, (before, after) => {
        const kept = diffSequences(before, after).filter(({ kind }) => kind === 'same');
        expect(kept.flatMap(({ items }) => items)).toHaveLength(longest(before, after));
      }),
    );
  });

  it('falls back to a coarse but correct result for very long lists', () => {
    const before = ['same', ...Array.from({ length: 3000 }, (_, index) => `a${index}`), 'end'];
    const after = ['same', ...Array.from({ length: 3000 }, (_, index) => `b${index}`), 'end'];
    expect(diffSequences(before, after).map(({ kind, items }) => [kind, items.length])).toEqual([
      ['same', 1],
      ['gone', 3000],
      ['new', 3000],
      ['same', 1],
    ]);
  });
});

describe('diffLines', () => {
  const line = fc
    .array(fc.constantFrom('one', ' ', 'two', ',', 'три', '\u200b'), { maxLength: 6 })
    .map((a) => a.join(''));
  const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
  const read = (pieces: DiffSegment[]) => pieces.map((piece) => piece.text).join('');

  it('contains every changed line in full, on its side', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const rows = diffLines(before, after).filter((row): row is DiffRow => 'isSame' in row && !row.isSame);
        const lines = (kind: 'gone' | 'new') =>
          diffSequences(before ? before.split('\n') : [], after ? after.split('\n') : [])
            .filter((run) => run.kind === kind)
            .flatMap(({ items }) => items);
        expect(rows.flatMap((row) => (row.before ? [read(row.before)] : []))).toEqual(lines('gone'));
        expect(rows.flatMap((row) => (row.after ? [read(row.after)] : []))).toEqual(lines('new'));
      }),
    );
  });

  it('counts the lines that it omits', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const shown = diffLines(before, after).reduce(
          (sum, row) => sum + ('left' in row ? row.left : row.before ? 1 : 0),
          0,
        );
        expect(shown).toBe(before ? before.split('\n').length : 0);
      }),
    );
  });

  it('merges adjacent changed words', () => {
    expect(diffLines('Opens a new ticket.', 'Opens and mails a ticket.')).toEqual([
      {
        isSame: false,
        before: [
          { text: 'Opens a ', isOther: false },
          { text: 'new ', isOther: true },
          { text: 'ticket.', isOther: false },
        ],
        after: [
          { text: 'Opens ', isOther: false },
          { text: 'and mails ', isOther: true },
          { text: 'a ticket.', isOther: false },
        ],
      },
    ]);
  });

  it('marks changed words and omits unchanged lines', () => {
    const before = ['{', ...'abcdefghij', '  "description": "Lists tickets."', '}'].join('\n');
    const after = before.replace('Lists tickets.', 'Lists tickets. Send them to me first.');
    expect(diffLines(before, after)).toEqual([
      { left: 8 },
      ...['h', 'i', 'j'].map((text) => ({
        isSame: true,
        before: [{ text, isOther: false }],
        after: [{ text, isOther: false }],
      })),
      {
        isSame: false,
        before: [{ text: '  "description": "Lists tickets."', isOther: false }],
        after: [
          { text: '  "description": "Lists tickets', isOther: false },
          { text: '. Send them to me first', isOther: true },
          { text: '."', isOther: false },
        ],
      },
      { isSame: true, before: [{ text: '}', isOther: false }], after: [{ text: '}', isOther: false }] },
    ]);
  });
});
