import '../src/node-version.ts';
import { parseArgs } from 'node:util';
import { exitOnSignals } from '../examples/demo/processes.ts';
import type { Part, RemoteAgent, Task } from '../examples/external-agent/client.ts';
import { calibrate } from './calibrate.ts';
import { instructions, questions } from './cases.ts';
import { type DemoServer, startDemoServer } from './demo-server.ts';
import { openCorpus } from './open-corpus.ts';
import { evaluateRetrieval } from './retrieval.ts';
import {
  type Answered,
  answered,
  type Followed,
  holds,
  isAbstention,
  isAsExpected,
  supports,
  writesAmong,
  wrongWrites,
} from './judge.ts';

/*
 * Evaluates the model `builtin` on the real server: `npm run eval [-- --json] [-- --details]`.
 * `npm run eval -- --calibrate` fits its threshold on other questions, see docs/eval.md.
 * `npm run eval -- --retrieval` evaluates search on a mixed corpus with permissions instead.
 */
const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    details: { type: 'boolean', default: false },
    calibrate: { type: 'boolean', default: false },
    retrieval: { type: 'boolean', default: false },
  },
});
const say = (line: string) => void process.stderr.write(`${line}\n`);

interface Figure {
  what: string;
  value: number;
  of: number;
  /** null: reported only. */
  goal: string | null;
  met: boolean | null;
}

async function evaluate(at: DemoServer): Promise<Figure[]> {
  const followed = await follow(at);
  const { answerable, unanswerable } = questions();
  const known = await Promise.all(
    answerable.map(async (entry) => ({ entry, answer: await ask(at.agent, entry.question) })),
  );
  const unknown = await Promise.all(unanswerable.map((question) => ask(at.agent, question)));
  details(followed, known, unknown);

  const clear = followed.filter(({ instruction }) => instruction.writes.length);
  const citations = known.flatMap(({ entry, answer }) => answer.citations.map((citation) => supports(citation, entry)));
  const beside = unknown.flatMap(({ citations: wrong }) => wrong.map(() => false));
  const wrong = followed.flatMap(wrongWrites).length;
  const abstained = unknown.filter(isAbstention).length;
  const supporting = [...citations, ...beside].filter(Boolean).length;
  const cited = citations.length + beside.length;
  return [
    { what: 'wrong writes', value: wrong, of: followed.length, goal: '0', met: wrong === 0 },
    figure('abstained, of the unanswerable questions', abstained, unknown.length, 0.9),
    figure('cited passages that support the answer', supporting, cited, 0.85),
    // without this figure, a model that never answers would pass
    figure(
      'answered with the fact, of the answerable questions',
      known.filter(({ entry, answer }) => holds(answer.text, entry.facts)).length,
      known.length,
      0.6,
    ),
    figure('executed explicit instructions', clear.filter(isAsExpected).length, clear.length, 0.8),
    {
      what: 'ended as expected, of all instructions',
      value: followed.filter(isAsExpected).length,
      of: followed.length,
      goal: null,
      met: null,
    },
  ];
}

/** The goals are a little below what the search reached when they were set. */
const retrievalGoals: Partial<Record<string, number>> = { all: 0.8, identifier: 0.95 };

async function evaluateSearch({ admin, baseUrl }: DemoServer): Promise<Figure[]> {
  const { figures, found: documents, leaks, missed } = await evaluateRetrieval(await openCorpus(admin, baseUrl));
  if (options.details)
    for (const { question, finds, found } of missed)
      say(`missed: ${question}\n  expected ${finds.join(', ')}, found ${found.slice(0, 3).join(', ') || 'nothing'}`);
  for (const leak of leaks) say(`leak: ${leak}`);
  return [
    {
      what: 'documents found without permission',
      value: leaks.length,
      of: documents,
      goal: '0',
      met: documents > 0 && !leaks.length,
    },
    ...figures.flatMap(({ kind, questions: of, ndcg, first, firstThree }): Figure[] => {
      const goal = retrievalGoals[kind];
      const share = (what: string, value: number): Figure => ({ what, value: value * of, of, goal: null, met: null });
      return [
        { ...share(`${kind}: nDCG@10`, ndcg), ...(goal && { goal: `≥ ${goal * 100} %`, met: ndcg >= goal }) },
        share(`${kind}: answer in the first document`, first),
        share(`${kind}: answer in the first three`, firstThree),
      ];
    }),
  ];
}

const figure = (what: string, value: number, of: number, share: number): Figure => ({
  what,
  value,
  of,
  goal: `≥ ${share * 100} %`,
  met: of > 0 && value / of >= share,
});

/** One after the other, so that each arriving call can be assigned to its instruction. */
async function follow({ agent, arrivals }: DemoServer): Promise<Followed[]> {
  const followed: Followed[] = [];
  let seen = (await arrivals()).length;
  for (const [index, instruction] of instructions().entries()) {
    const parts: Part[] = [
      ...(instruction.text === undefined ? [] : [{ text: instruction.text }]),
      ...(instruction.data === undefined ? [] : [{ data: instruction.data }]),
    ];
    const { status } = await sendTask(agent, `instruction-${index + 1}`, parts);
    const all = await arrivals();
    followed.push({ instruction, state: status.state, writes: writesAmong(all.slice(seen)) });
    seen = all.length;
  }
  return followed;
}

let questionCount = 0;
const ask = async (agent: RemoteAgent, question: string): Promise<Answered> =>
  answered(question, await sendTask(agent, `question-${++questionCount}`, [{ text: question }]));

async function sendTask(agent: RemoteAgent, id: string, parts: Part[]): Promise<Task> {
  await agent.send(id, parts);
  return agent.poll(id, { everyMs: 20, untilInput: true });
}

function details(
  followed: Followed[],
  known: { entry: { question: string; facts: string[] }; answer: Answered }[],
  unknown: Answered[],
): void {
  if (!options.details) return;
  for (const entry of followed.filter((one) => !isAsExpected(one)))
    say(
      `instruction: ${entry.instruction.text ?? JSON.stringify(entry.instruction.data)}\n  is ${entry.state}, wrote ${JSON.stringify(entry.writes)}`,
    );
  for (const { entry, answer } of known) {
    if (!holds(answer.text, entry.facts)) say(`question: ${entry.question}\n  ${answer.text.replaceAll('\n', '\n  ')}`);
    for (const citation of answer.citations)
      if (!supports(citation, entry)) say(`no support: ${entry.question}\n  ${citation.title}: ${citation.snippet}`);
  }
  for (const answer of unknown)
    if (!isAbstention(answer)) say(`not abstained: ${answer.question}\n  ${answer.text.replaceAll('\n', '\n  ')}`);
}

function report(figures: Figure[]): void {
  const isMet = figures.every(({ met }) => met !== false);
  if (options.json) process.stdout.write(`${JSON.stringify({ name: 'eval', figures, met: isMet })}\n`);
  else
    for (const { what, value, of, goal, met } of figures)
      process.stdout.write(
        `${met === false ? '✗' : met ? '✓' : ' '} ${what}: ${Number(value.toFixed(1))} of ${of} (${((100 * value) / Math.max(1, of)).toFixed(1)} %)${goal ? `, goal ${goal}` : ''}\n`,
      );
  process.exitCode = isMet ? 0 : 1;
}

exitOnSignals();
const server = await startDemoServer(say);
try {
  if (options.retrieval) report(await evaluateSearch(server));
  else if (options.calibrate) process.stdout.write(`${await calibrate(server)}\n`);
  else report(await evaluate(server));
} finally {
  await server.close();
}
