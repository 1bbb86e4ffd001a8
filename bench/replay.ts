import path from 'node:path';
import { start } from './child.ts';
import { onDatabase } from './database.ts';
import type { ReplayBenchOutput } from './replay-ours.ts';
import { machine, type Options, type Report } from './report.ts';

/* How long the replay of recorded calls against a stricter policy takes over HTTP, page by page like in the console. */

const calls = Number(process.env.REPLAY_CALLS ?? 100_000);
const goalSeconds = 60;
const stricter = '@id("reads") permit (principal, action in Action::"read", resource);';
const query = `query ($configurationId: ID!, $text: String!, $after: String) {
  replayPolicy(configurationId: $configurationId, text: $text, first: 2000, after: $after) {
    calls notEvaluated { gap } changes { callId before { verdict } after { verdict } } endCursor
  }
}`;

interface Page {
  calls: number;
  notEvaluated: unknown[];
  changes: unknown[];
  endCursor: string | null;
}

const file = (name: string) => path.join(import.meta.dirname, name);

export const replay = ({ say }: Options): Promise<Report> =>
  onDatabase(async (environment) => {
    const upstream = await start<{ url: string }>(file('mcp-peer.ts'), []);
    try {
      const ours = await start<ReplayBenchOutput>(file('replay-ours.ts'), [], {
        ...environment,
        UPSTREAM: upstream.output.url,
        ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
        CALLS: String(calls),
      });
      try {
        return toReport(await measure(ours.output), say);
      } finally {
        await ours.stop();
      }
    } finally {
      await upstream.stop();
    }
  });

async function measure(output: ReplayBenchOutput): Promise<{ firstMs: number; seconds: number }> {
  const began = performance.now();
  let firstMs: number | null = null;
  let evaluated = 0;
  let changes = 0;
  for (let after: string | null = null; ;) {
    const page = await loadPage(output, after);
    firstMs ??= performance.now() - began;
    evaluated += page.calls - page.notEvaluated.length;
    changes += page.changes.length;
    after = page.endCursor;
    if (!after) break;
  }
  if (evaluated !== calls || changes !== calls / 2)
    throw new Error(`${evaluated} calls were evaluated and ${changes} verdicts changed`);
  return { firstMs, seconds: (performance.now() - began) / 1000 };
}

async function loadPage(
  { url, cookie, origin, configurationId }: ReplayBenchOutput,
  after: string | null,
): Promise<Page> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', cookie, origin },
    body: JSON.stringify({ query, variables: { configurationId, text: stricter, after } }),
  });
  const { data, errors } = (await response.json()) as {
    data?: { replayPolicy: Page } | null;
    errors?: { message: string }[];
  };
  if (!data) throw new Error(errors?.[0].message ?? String(response.status));
  return data.replayPolicy;
}

function toReport({ firstMs, seconds }: { firstMs: number; seconds: number }, say: Options['say']): Report {
  say(`${calls} calls in ${seconds.toFixed(1)} s, the first result after ${firstMs.toFixed(0)} ms`);
  const blank = { peer: null, ratio: null, p50: null, p99: null, goal: null, met: null };
  const goal = `≤ ${goalSeconds} s`;
  return {
    name: 'replay',
    machine: machine(),
    rows: [
      { ...blank, what: `${calls.toLocaleString('en')} calls, s`, ours: seconds, goal, met: seconds <= goalSeconds },
      { ...blank, what: 'calls/s', ours: calls / seconds },
      { ...blank, what: 'first result, ms', ours: firstMs },
    ],
  };
}
