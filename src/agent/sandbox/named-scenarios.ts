import type { Artifact, ArtifactChunk, Part } from '../agent-model.port.js';
import { approves } from './approval.js';
import {
  answers,
  toArtifact,
  asks,
  assembled,
  completes,
  fails,
  inSequence,
  type SandboxScenario,
  repeating,
  rejects,
  says,
  type StepContext,
  shows,
  type ScenarioStep,
  textOf,
  waits,
} from './scenario.js';
import { sandboxLimits, assertWithinLimit } from './limits.js';
import { parseAmounts, parseCount, parseDuration } from './amounts.js';

/* The lives that have names. A message whose text begins with one of them is played as such; what follows it is `words`. */

const file = { raw: Buffer.from('A file of the sandbox.\n').toString('base64'), mediaType: 'text/plain' };
const example = { key: 'value', count: 42, list: [1, 2, 3], nothing: null };

export const textParts = (words: string): Part[] => [{ text: words }];
export const completesWith = (...parts: Part[]): SandboxScenario => completes([toArtifact(parts)]);

/** Everything that came, as it came, but for the word that asked for it. */
export const echoes: SandboxScenario = (scene) => completesWith(...withoutWord(scene.requestParts, 'echo'))(scene);

const withoutWord = ([first, ...rest]: readonly Part[], word: string): Part[] => {
  if (!first || !('text' in first) || !first.text.startsWith(word)) return [first, ...rest].filter(Boolean);
  const words = first.text.slice(word.length).trim();
  return words || !rest.length ? [{ text: words || word }, ...rest] : rest;
};

const completesWithReply: ScenarioStep = (scene) =>
  completes([toArtifact(scene.replyParts)], `You answered: ${replyExcerpt(scene)}`)(scene);
const replyExcerpt = ({ replyParts }: StepContext) => textOf(replyParts).slice(0, 200) || 'without words';

export const asksOnce = (question: string): SandboxScenario => inSequence(asks(question), completesWithReply);

/** Works a moment and asks, until it is told that it is done. */
export const converses = (pauseMs: number): SandboxScenario => {
  const round = repeating(waits(pauseMs), asks('What else? "done" ends the task.'));
  return (scene) => (/^done\W*$/i.test(textOf(scene.replyParts)) ? completesWithReply(scene) : round(scene));
};

export const inPieces = (pieces: readonly string[], everyMs: number): SandboxScenario => {
  const last = pieces.length - 1;
  const chunks = pieces.map((piece, nth): ArtifactChunk => ({
    artifactId: '1',
    name: 'answer',
    parts: textParts(piece),
    append: nth > 0,
    lastChunk: nth === last,
  }));
  return inSequence(
    ...chunks.map((chunk, nth) => shows(chunk, nth < last ? everyMs : 0)),
    completes(assembled(chunks)),
  );
};

export const worksInSteps = (ms: number, steps: number): SandboxScenario =>
  inSequence(
    ...Array.from({ length: steps }, (_, nth) => says(`Step ${nth + 1} of ${steps}.`, ms / steps)),
    completesWith({ text: `Worked for ${ms / 1000} s.` }),
  );

function slowScenario(words: string): SandboxScenario {
  const [time = '10', steps] = words.split(/\s+/).filter(Boolean);
  const ms = parseDuration(time);
  return worksInSteps(
    ms,
    parseCount(steps ?? String(Math.max(1, Math.min(10, Math.ceil(ms / 1000)))), sandboxLimits.steps, 'steps'),
  );
}

function streamScenario(words: string): SandboxScenario {
  const { count = 5, everyMs = 200, rest } = parseAmounts(words, sandboxLimits.steps, 'pieces');
  assertWithinLimit((count * everyMs) / 1000, sandboxLimits.seconds, 'seconds in all');
  const pieces = Array.from(
    { length: count },
    (_, nth) => `[${nth + 1}/${count}] ${rest || 'a piece of the answer'}\n`,
  );
  assertWithinLimit(pieces.join('').length / 1024, sandboxLimits.kilobytes, 'kilobytes');
  return inPieces(pieces, everyMs);
}

function multipleArtifacts(words: string): SandboxScenario {
  const count = parseCount(words || '3', sandboxLimits.artifacts, 'artifacts');
  return completes(
    Array.from({ length: count }, (_, nth): Artifact =>
      toArtifact(textParts(`Artifact ${nth + 1}`), `part-${nth + 1}`, nth + 1),
    ),
  );
}

const largeArtifact = (words: string): SandboxScenario =>
  completesWith({ text: 'x'.repeat(1024 * parseCount(words || '64', sandboxLimits.kilobytes, 'kilobytes')) });

const waitsUntilCanceled = (words: string): SandboxScenario =>
  inSequence(
    waits(parseDuration(words || String(sandboxLimits.seconds))),
    completesWith({ text: 'Nobody canceled it.' }),
  );

export const requiresCredentials = inSequence(
  asks('Send a credential as a message; any will do here.', 'credentials'),
  (scene) => completes([toArtifact(textParts('The credential was taken.'))])(scene),
);

export const namedScenarios: Readonly<Record<string, (words: string) => SandboxScenario>> = {
  complete: (words) => completesWith({ text: words || 'Done.' }),
  echo: () => echoes,
  message: (words) => answers(textParts(words || 'An answer without a task.')),
  fail: (words) => fails(words || 'It was asked to fail.'),
  reject: (words) => rejects(words || 'It was asked to reject the task.'),
  ask: (words) => asksOnce(words || 'What is it that you want?'),
  converse: () => converses(0),
  auth: () => requiresCredentials,
  approve: approves,
  slow: slowScenario,
  wait: waitsUntilCanceled,
  stream: streamScenario,
  multi: multipleArtifacts,
  big: largeArtifact,
  file: () => completesWith({ ...file, filename: 'sandbox.txt' }),
  url: () =>
    completesWith({ url: 'https://example.com/sandbox.txt', mediaType: 'text/plain', filename: 'sandbox.txt' }),
  data: () => completesWith({ data: example }),
};
