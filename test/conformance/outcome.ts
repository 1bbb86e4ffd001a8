import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Suite } from './suites.ts';

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  description?: string;
  errorMessage?: string;
}

export interface Scenario {
  name: string;
  isRequired: boolean;
  /** Failed among the others, and was judged by itself. */
  isAlone?: boolean;
  checks: Check[];
}

export interface Outcome {
  suite: string;
  scenarios: Scenario[];
  /** Required scenarios of which nothing was heard. */
  missing: string[];
  /** What the suite itself came to. */
  exitCode: number;
}

/** Of what a suite wrote down: one `checks.json` in a folder with the scenario's name and the time. */
export function outcomeOf({ name: suite, leg, required }: Suite, folder: string, exitCode: number): Outcome {
  const scenarios = globSync('**/checks.json', { cwd: folder }).map((file): Scenario => {
    const name = path.dirname(file).replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    const plain = leg === 'server' ? name.replace(/^server-/, '') : name;
    const checks = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Check[];
    return { name: plain, isRequired: required?.has(plain) ?? true, checks };
  });
  const heard = new Set(scenarios.filter(({ checks }) => checks.length).map(({ name }) => name));
  const missing = [...(required ?? [])].filter((name) => !heard.has(name));
  return { suite, scenarios: scenarios.sort((a, b) => (a.name < b.name ? -1 : 1)), missing, exitCode };
}

export const count = ({ checks }: Scenario, status: Check['status']): number =>
  checks.filter((check) => check.status === status).length;

export const hasFailed = (scenario: Scenario): boolean => count(scenario, 'FAILURE') > 0;

/** A suite ends with an error also for what does not count, and for what was judged again. */
export const isGood = ({ scenarios, missing, exitCode }: Outcome): boolean =>
  (exitCode === 0 || scenarios.some((one) => one.isAlone || (!one.isRequired && hasFailed(one)))) &&
  scenarios.length > 0 &&
  missing.length === 0 &&
  !scenarios.some((one) => one.isRequired && hasFailed(one));
