import path from 'node:path';
import { start } from './child.ts';
import { onDatabase } from './database.ts';
import type { NotificationTimes } from './notifications-ours.ts';
import { machine, type Options, type Report } from './report.ts';

/* How long it takes until a webhook has the notification of a call that needs an approval. */

const perSecond = 10;
const goalMs = 2000;
const file = path.join(import.meta.dirname, 'notifications-ours.ts');

export async function notifications({ seconds, say }: Options): Promise<Report> {
  const settings = { REQUESTS: String(perSecond * seconds), PER_SECOND: String(perSecond) };
  const { ms } = await onDatabase(async (environment) => {
    const child = await start<NotificationTimes>(file, [], { ...environment, ...settings });
    await child.stop();
    return child.output;
  });
  const sorted = ms.toSorted((a, b) => a - b);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => sorted[Math.ceil(share * sorted.length) - 1]);
  say(`${ms.length} notifications: p95 ${Math.round(p95)} ms`);
  const row = {
    what: `notification of an approval, ${perSecond} per second, p95 in ms`,
    peer: null,
    ratio: null,
    ours: p95,
    p50,
    p99,
    goal: `≤ ${goalMs.toLocaleString('en')}`,
    met: p95 <= goalMs,
  };
  return { name: 'notifications', machine: machine(), rows: [row] };
}
