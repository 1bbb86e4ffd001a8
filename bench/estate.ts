import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { start } from './child.ts';
import type { EstateBenchOutput } from './estate-ours.ts';
import type { Row } from './report.ts';

/*
 * How long it takes to parse, redact, store and evaluate the configurations of a large organization, and to reevaluate
 * them.
 */

const files = Number(process.env.ESTATE_FILES ?? 10_000);
const goalSeconds = 20;

export async function estate(environment: Record<string, string>, say: (line: string) => void): Promise<Row[]> {
  const file = path.join(import.meta.dirname, 'estate-ours.ts');
  const child = await start<EstateBenchOutput>(file, [], {
    ...environment,
    // without worker jobs, which would evaluate at the same time
    ROLE: 'web',
    MASTER_KEYS: randomBytes(32).toString('base64url'),
    FILES: String(files),
    LOG_LEVEL: 'warn',
  });
  await child.stop();
  const { ingestSeconds, evaluationSeconds, reevaluationSeconds, findings } = child.output;
  say(
    `estate: ${files.toLocaleString('en')} files stored in ${ingestSeconds.toFixed(1)} s, evaluated in ${evaluationSeconds.toFixed(1)} s (${findings.toLocaleString('en')} findings), reevaluated after an approval in ${reevaluationSeconds.toFixed(1)} s`,
  );
  const blank = { peer: null, ratio: null, p50: null, p99: null, goal: null, met: null };
  const what = `${files.toLocaleString('en')} configuration files`;
  return [
    {
      ...blank,
      what: `${what} evaluated, s`,
      ours: evaluationSeconds,
      goal: `≤ ${goalSeconds}`,
      met: evaluationSeconds <= goalSeconds,
    },
    { ...blank, what: `${what} parsed and stored, s`, ours: ingestSeconds },
    { ...blank, what: `${what} reevaluated after an approval, s`, ours: reevaluationSeconds },
  ];
}
