import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { StepBudget, StepBudgetExceeded } from './step-budget.js';
import { GitIgnore } from './gitignore.js';

const cases: [string, string, boolean, boolean | null][] = [
  ['*.log', 'deep/a.log', false, true],
  ['/a', 'a', false, true],
  ['/a', 'b/a', false, null],
  ['a/b', 'x/a/b', false, null],
  ['build/', 'build', false, null],
  ['build/', 'x/build', true, true],
  ['**/x', 'a/b/x', false, true],
  ['a/**', 'a/b/c', false, true],
  ['a/**/b', 'a/b', false, true],
  ['a/**/b', 'a/x/y/b', false, true],
  ['*.md\n!keep.md', 'keep.md', false, false],
  ['[a-c]?', 'bz', false, true],
  ['[!a]b', 'ab', false, null],
  ['\\#a', '#a', false, true],
  ['a\\*', 'a*', false, true],
  ['a\\*', 'ab', false, null],
  ['# comment\n\n  \n', 'anything', false, null],
  ['name \t', 'name', false, true],
  ['[z-a]', 'z', false, null],
  ['a.b', 'aXb', false, null],
  ['*a'.repeat(40), 'a'.repeat(39) + 'b', false, null], // a backtracking matcher would need years
];

describe('.gitignore', () => {
  it.each([
    ['many stars in each of many lines', '*a*a*a*a*b\n'.repeat(20_000), 'a'.repeat(255)],
    ['folders of any depth', `${'**/'.repeat(300)}x\n`.repeat(250), 'a/'.repeat(60)],
    ['unterminated character classes', `${'['.repeat(900)}\n`.repeat(280), 'a'],
    ['blanks before a letter', `${' '.repeat(900)}x\n`.repeat(280), 'a'],
  ])('stays within the step budget: %s', (_, patterns, name) => {
    const budget = new StepBudget(1_000_000);
    try {
      new GitIgnore(patterns).ignores(name, false, budget);
    } catch (error) {
      expect(error).toBeInstanceOf(StepBudgetExceeded);
    }
    expect(budget.spent).toBeLessThan(1_100_000);
  });

  it.each(cases)('matches %j against %j', (patterns, name, isFolder, expected) => {
    expect(new GitIgnore(patterns).ignores(name, isFolder, new StepBudget(1e6))).toBe(expected);
  });

  (hasGit() ? it : it.skip)('agrees with git', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'gitignore-'));
    const names = ['a', 'ab', 'a.md', 'sub/a', 'sub/a.md', 'sub/deep/ab', 'sub/deep/b.md'];
    try {
      execFileSync('git', ['init', '-q', folder]);
      for (const name of names) {
        mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
        writeFileSync(path.join(folder, name), '');
      }
      const pattern = fc.array(
        fc.constantFrom('a', 'b', '*', '**', '?', '/', '.md', 'sub', 'deep', '[ab]', '!', '\\'),
        { minLength: 1, maxLength: 5 },
      );
      fc.assert(
        fc.property(pattern, (parts) => {
          const line = parts.join('');
          fc.pre(!/\\(\/|$)|[^/]\*\*|\*\*[^/]/.test(line)); // undefined by gitignore(5)
          writeFileSync(path.join(folder, '.git/info/exclude'), `${line}\n`);
          const answer = check(folder, names);
          for (const name of names)
            expect([line, name, ignored(new GitIgnore(line), name)]).toEqual([line, name, answer.has(name)]);
        }),
        { numRuns: 60 },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function hasGit(): boolean {
  try {
    execFileSync('git', ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** A file below an ignored folder is ignored. */
function ignored(rules: GitIgnore, name: string): boolean {
  const parts = name.split('/');
  return parts.some((_, index) =>
    rules.ignores(parts.slice(0, index + 1).join('/'), index < parts.length - 1, new StepBudget(1e6)),
  );
}

function check(folder: string, names: string[]): Set<string> {
  try {
    const out = execFileSync('git', ['-C', folder, 'check-ignore', '--', ...names], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return new Set(out.split('\n').filter(Boolean));
  } catch (error) {
    if ((error as { status: number }).status === 1) return new Set();
    throw error;
  }
}
