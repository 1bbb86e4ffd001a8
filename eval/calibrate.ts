import type * as Evidence from '../src/agent/builtin/evidence.js';
import { calibrationQuestions } from './cases.ts';
import type { DemoServer } from './demo-server.ts';
import { holds } from './judge.ts';

/*
 * Fits the confidence of `builtin` in a passage on questions that the eval does not use: a logistic regression over the
 * three features of evidence.ts, with cross-validation. Copy its output into threshold.ts by hand.
 */

type Passage = Parameters<typeof Evidence.evidence>[1][number];
type Weights = readonly [bias: number, coverage: number, quoted: number, form: number];

interface Case {
  question: string;
  /** null: the question is unanswerable. */
  facts: string[] | null;
  /** Best first, in the order in which the model quotes them. */
  found: Evidence.Evidence[];
}

const passageLimit = 10;
/** Passages of a question that the weights are fitted on. */
const samplesPerQuestion = 3;
const folds = 5;
const ridge = 0.5;
const learningRate = 0.01;

export async function calibrate({ admin }: DemoServer): Promise<string> {
  const address = new URL('../dist/agent/builtin/evidence.js', import.meta.url);
  const { evidence } = (await import(address.href)) as typeof Evidence;
  const { answerable, unanswerable } = calibrationQuestions();
  const questions = [...answerable, ...unanswerable.map((question) => ({ question, facts: null }))];
  const cases: Case[] = [];
  for (const { question, facts } of questions) {
    const { searchKnowledge } = await admin.graphql<{ searchKnowledge: { passages: Passage[] } }>(search, {
      input: { query: question, limit: passageLimit },
    });
    const found = evidence(question, searchKnowledge.passages).sort(
      (one, other) => other.rank - one.rank || other.features.coverage - one.features.coverage,
    );
    cases.push({ question, facts, found });
  }
  return [
    describe(fit(cases.flatMap(samples))),
    '',
    'threshold  answered  right  abstained  support',
    ...thresholds(cases),
  ].join('\n');
}

const search = `query ($input: SearchKnowledgeInput!) { searchKnowledge(input: $input) { passages {
  documentId chunkId title url source kind position heading snippet text coverage retrievedAt } } }`;

const describe = ([bias, coverage, quoted, form]: Weights) =>
  `coverage: ${coverage.toFixed(2)}, quoted: ${quoted.toFixed(2)}, form: ${form.toFixed(2)}, bias: ${bias.toFixed(2)}`;

interface Sample {
  features: Weights;
  isRight: boolean;
}

const featuresOf = ({ coverage, quoted, form }: Evidence.Features): Weights => [1, coverage, quoted, form];
const isRight = ({ facts }: Case, { quoted }: Evidence.Evidence) =>
  facts !== null && holds(quoted.map(({ text }) => text).join(' '), facts);
const samples = (entry: Case): Sample[] =>
  entry.found
    .slice(0, samplesPerQuestion)
    .map((found) => ({ features: featuresOf(found.features), isRight: isRight(entry, found) }));

const sigmoid = (value: number) => 1 / (1 + Math.exp(-value));
const dot = (one: Weights, other: Weights) => one.reduce((sum, value, index) => sum + value * other[index], 0);

/** Gradient descent, which is sufficient for four weights and a few hundred samples. */
function fit(list: readonly Sample[]): Weights {
  let weights: Weights = [0, 0, 0, 0];
  for (let step = 0; step < 20_000; step++) {
    const gradient = [0, 0, 0, 0];
    for (const { features, isRight: right } of list) {
      const error = sigmoid(dot(weights, features)) - (right ? 1 : 0);
      features.forEach((value, index) => (gradient[index] += error * value));
    }
    const stepped = (index: 0 | 1 | 2 | 3) =>
      weights[index] - learningRate * (gradient[index] + (index ? ridge * weights[index] : 0));
    weights = [stepped(0), stepped(1), stepped(2), stepped(3)];
  }
  return weights;
}

/** The result for each threshold, on questions that the weights were not fitted on. */
function thresholds(cases: readonly Case[]): string[] {
  const weightsOfFolds = Array.from({ length: folds }, (_, fold) =>
    fit(cases.filter((_, index) => index % folds !== fold).flatMap(samples)),
  );
  const judged = cases.map((entry, index) => {
    const scored = entry.found.map((found) => ({
      found,
      probability: sigmoid(dot(weightsOfFolds[index % folds], featuresOf(found.features))),
    }));
    return { entry, scored };
  });
  return Array.from({ length: 13 }, (_, step) => 0.2 + step * 0.05).map((threshold) => {
    const quotes = judged.map(({ entry, scored }) => ({
      entry,
      best: scored.find(({ probability }) => probability >= threshold)?.found,
    }));
    const answers = quotes.filter(({ entry, best }) => entry.facts && best);
    const right = answers.filter(({ entry, best }) => isRight(entry, best!)).length;
    const unknown = quotes.filter(({ entry }) => !entry.facts);
    const abstained = unknown.filter(({ best }) => !best).length;
    const cited = answers.length + unknown.length - abstained;
    const cells = [answers.length, right, abstained, `${((100 * right) / Math.max(1, cited)).toFixed(0)} %`];
    return [threshold.toFixed(2), ...cells].map((cell) => String(cell).padEnd(9)).join('  ');
  });
}
