import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A run of one of the public suites. */
export interface Suite {
  name: string;
  leg: 'server' | 'client';
  command: string;
  args: string[];
  /** Instead of `args`, for one of its scenarios alone. */
  alone: string[];
  /** Of the protocol that it speaks. */
  era: 'modern' | 'legacy';
  /** The scenarios that count; null: whatever the suite has. */
  required: Set<string> | null;
}

const modules = path.resolve('node_modules');
const newer = path.join(modules, '@modelcontextprotocol/conformance');
const older = path.join(modules, 'conformance-2025');

export const suites: Suite[] = (['server', 'client'] as const).flatMap((leg) => [
  whole(leg),
  frozen(leg, '2025-11-25', 'legacy'),
  frozen(leg, '2026-07-28', 'modern'),
]);

/** Of a client it also tries what the revision leaves open, and rules of its predecessors that it has put an end to. */
function whole(leg: Suite['leg']): Suite {
  const required = leg === 'client' ? requirements(leg, '2025-11-25') : null;
  const args = ['--suite', 'all', ...patience(leg)];
  return { name: `0.1.16 ${leg}, all`, leg, command: entry(older), args, alone: [], era: 'legacy', required };
}

/** Clients are all started at once. */
function patience(leg: Suite['leg']): string[] {
  return leg === 'client' ? ['--timeout', '180000'] : [];
}

function frozen(leg: Suite['leg'], revision: string, era: Suite['era']): Suite {
  const args = ['--requirements', revision, ...patience(leg)];
  const alone = ['--spec-version', revision];
  const required = requirements(leg, revision);
  return { name: `0.2 ${leg}, ${revision}`, leg, command: entry(newer), args, alone, era, required };
}

function entry(folder: string): string {
  return path.join(folder, 'dist/index.js');
}

/** By the file that the suite itself reads: a plain list under the name of the leg. */
function requirements(leg: Suite['leg'], revision: string): Set<string> {
  const text = readFileSync(path.join(newer, `requirements/${revision}.yaml`), 'utf8');
  const [, list] = new RegExp(`^${leg}:\\n((?: +- \\S+\\n)+)`, 'm').exec(text) ?? [];
  if (!list) throw new Error(`${revision} requires nothing of a ${leg}, which cannot be`);
  return new Set(list.match(/(?<=- )\S+/g));
}
