import { count, hasFailed, isGood, type Outcome, type Scenario } from './outcome.ts';

/** One line a run; below it what failed, and how. Of scenarios that do not count, their names. */
export function print(what: string, outcome: Outcome): string {
  const { suite, scenarios, missing } = outcome;
  const required = scenarios.filter(({ isRequired }) => isRequired);
  const others = scenarios.filter(({ isRequired }) => !isRequired);
  const checks = (status: Parameters<typeof count>[1]) => required.reduce((sum, one) => sum + count(one, status), 0);
  const passed = required.filter((one) => !hasFailed(one)).length;
  const line = [
    isGood(outcome) ? 'green' : 'RED  ',
    `${what}: ${suite}:`.padEnd(52),
    `${passed} of ${required.length + missing.length} required scenarios,`,
    `checks ${checks('SUCCESS')} passed, ${checks('FAILURE')} failed, ${checks('WARNING')} warnings`,
    others.length
      ? `; not scored: ${others.filter((one) => !hasFailed(one)).length} of ${others.length} scenarios without failure`
      : '',
  ].join(' ');
  const uncounted = others.filter(hasFailed).map(({ name }) => name);
  return [
    line,
    ...missing.map((name) => `        missing: ${name}`),
    ...required.flatMap(troubles),
    ...required.filter(({ isAlone }) => isAlone).map(({ name }) => `        judged alone: ${name}`),
    ...(uncounted.length ? [`        not scored, failing: ${uncounted.join(', ')}`] : []),
    '',
  ].join('\n');
}

const troubles = ({ name, checks }: Scenario): string[] =>
  checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(
      ({ id, status, description, errorMessage }) =>
        `        ${name}: ${status.toLowerCase()} ${id}: ${errorMessage ?? description ?? ''}`,
    );
