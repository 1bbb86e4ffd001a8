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

/* Scenarios that a message selects by the first word of its text. The rest of the text is passed as `words`. */

const file = { raw: Buffer.from('A file of the sandbox.\n').toString('base64'), mediaType: 'text/plain' };
const example = { key: 'value', count: 42, list: [1, 2, 3], nothing: null };

export const textParts = (words: string): Part[] => [{ text: words }];
export const completesWith = (...parts: Part[]): SandboxScenario => completes([toArtifact(parts)]);

/** Returns the message unchanged, without the command word. */
export const echoes: SandboxScenario = (scene) => completesWith(...withoutWord(scene.requestParts, 'echo'))(scene);

const withoutWord = ([first, ...rest]: readonly Part[], word: string): Part[] => {
  if (!first || !('text' in first) || !first.text.startsWith(word)) return [first, ...rest].filter(Boolean);
  const words = first.text.slice(word.length).trim();
  return words || !rest.length ? [{ text: words || word }, ...rest] : rest;
};

const completesWithReply: ScenarioStep = (scene) =>
  completes([toArtifact(scene.replyParts)], `Your answer: ${replyExcerpt(scene)}`)(scene);
const replyExcerpt = ({ replyParts }: StepContext) => textOf(replyParts).slice(0, 200) || '(no text)';

export const asksOnce = (question: string): SandboxScenario => inSequence(asks(question), completesWithReply);

/** Works and asks in turn until the reply is "done". */
export const converses = (pauseMs: number): SandboxScenario => {
  const round = repeating(waits(pauseMs), asks('What else? Reply "done" to end the task.'));
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
  const { count = 5, everyMs = 200, rest } = parseAmounts(words, sandboxLimits.steps, 'chunks');
  assertWithinLimit((count * everyMs) / 1000, sandboxLimits.seconds, 'seconds in total');
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
    completesWith({ text: 'The task was not canceled.' }),
  );

export const requiresCredentials = inSequence(
  asks('Send a credential as a message. The sandbox accepts any text.', 'credentials'),
  (scene) => completes([toArtifact(textParts('Credential accepted.'))])(scene),
);

export const namedScenarios: Readonly<Record<string, (words: string) => SandboxScenario>> = {
  complete: (words) => completesWith({ text: words || 'Done.' }),
  echo: () => echoes,
  message: (words) => answers(textParts(words || 'A direct answer without a task.')),
  fail: (words) => fails(words || 'The message requested a failure.'),
  reject: (words) => rejects(words || 'The message requested a rejection.'),
  ask: (words) => asksOnce(words || 'What do you want to do?'),
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
