import path from 'node:path';
import { start } from './child.ts';
import { onDatabase } from './database.ts';
import type { KnowledgeBenchOutput } from './knowledge-ours.ts';
import { machine, type Options, type Report, type Row } from './report.ts';

/* Measures sequential searches, by words alone and by words and meaning. The reader may read half of the passages. */

const dimensions = process.env.KNOWLEDGE_DIMENSIONS ?? '768';
/** The smoke run has fewer passages, because writing a million takes minutes. */
const passagesOf = (isSmoke: boolean) => process.env.KNOWLEDGE_PASSAGES ?? (isSmoke ? '5000' : '1000000');

export async function knowledge({ isSmoke, say }: Options): Promise<Report> {
  const file = path.join(import.meta.dirname, 'knowledge-ours.ts');
  const settings = {
    PASSAGES: passagesOf(isSmoke),
    DIMENSIONS: dimensions,
    SEARCHES: isSmoke ? '3' : (process.env.KNOWLEDGE_SEARCHES ?? '200'),
  };
  const output = await onDatabase(async (environment) => {
    const ours = await start<KnowledgeBenchOutput>(file, [], { ...environment, ...settings });
    await ours.stop();
    return ours.output;
  });
  const rows = [
    rowOf(`search by words, ms, ${output.passages} passages`, output.lexicalMs, 50),
    rowOf(`search by words and meaning, ms, ${dimensions} dimensions`, output.hybridMs, 120),
    { ...blank, what: 'bytes per passage, without vectors', ours: output.bytesPerPassage },
  ];
  for (const { what, ours, p50 } of rows)
    say(`${what}: p95 ${ours.toFixed(1)}${p50 === null ? '' : `, p50 ${p50.toFixed(1)}`}`);
  return { name: 'knowledge', machine: machine(), rows };
}

const blank = { peer: null, ratio: null, p50: null, p99: null, goal: null, met: null };

function rowOf(what: string, taken: number[], goalMs: number): Row {
  const sorted = [...taken].sort((a, b) => a - b);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => sorted[Math.ceil(part * sorted.length) - 1]);
  return { ...blank, what, ours: p95, p50, p99, goal: `p95 ≤ ${goalMs} ms`, met: p95 <= goalMs };
}
