import type { Artifact, ArtifactChunk, Part } from '../agent-model.service.js';
import { approves } from './approval.js';
import {
  answers,
  artifactOf,
  asks,
  assembled,
  completes,
  fails,
  inOrder,
  type Life,
  overAndOver,
  rejects,
  says,
  type Scene,
  shows,
  type Step,
  textOf,
  waits,
} from './life.js';
import { sandboxLimits, within } from './limits.js';
import { amounts, atLeastOne, milliseconds } from './words.js';

/* The lives that have names. A message whose text begins with one of them is played as such; what follows it is `words`. */

const file = { raw: Buffer.from('A file of the sandbox.\n').toString('base64'), mediaType: 'text/plain' };
const example = { key: 'value', count: 42, list: [1, 2, 3], nothing: null };

export const text = (words: string): Part[] => [{ text: words }];
export const completesWith = (...parts: Part[]): Life => completes([artifactOf(parts)]);

/** Everything that came, as it came, but for the word that asked for it. */
export const echoes: Life = (scene) => completesWith(...withoutWord(scene.asked, 'echo'))(scene);

const withoutWord = ([first, ...rest]: readonly Part[], word: string): Part[] => {
  if (!first || !('text' in first) || !first.text.startsWith(word)) return [first, ...rest].filter(Boolean);
  const words = first.text.slice(word.length).trim();
  return words || !rest.length ? [{ text: words || word }, ...rest] : rest;
};

const answered: Step = (scene) => completes([artifactOf(scene.answer)], `You answered: ${shortOf(scene)}`)(scene);
const shortOf = ({ answer }: Scene) => textOf(answer).slice(0, 200) || 'without words';

export const asksOnce = (question: string): Life => inOrder(asks(question), answered);

/** Works a moment and asks, until it is told that it is done. */
export const converses = (pauseMs: number): Life => {
  const round = overAndOver(waits(pauseMs), asks('What else? "done" ends the task.'));
  return (scene) => (/^done\W*$/i.test(textOf(scene.answer)) ? answered(scene) : round(scene));
};

export const inPieces = (pieces: readonly string[], everyMs: number): Life => {
  const last = pieces.length - 1;
  const chunks = pieces.map((piece, nth): ArtifactChunk => ({
    artifactId: '1',
    name: 'answer',
    parts: text(piece),
    append: nth > 0,
    lastChunk: nth === last,
  }));
  return inOrder(...chunks.map((chunk, nth) => shows(chunk, nth < last ? everyMs : 0)), completes(assembled(chunks)));
};

export const works = (ms: number, steps: number): Life =>
  inOrder(
    ...Array.from({ length: steps }, (_, nth) => says(`Step ${nth + 1} of ${steps}.`, ms / steps)),
    completesWith({ text: `Worked for ${ms / 1000} s.` }),
  );

function slow(words: string): Life {
  const [time = '10', steps] = words.split(/\s+/).filter(Boolean);
  const ms = milliseconds(time);
  return works(
    ms,
    atLeastOne(steps ?? String(Math.max(1, Math.min(10, Math.ceil(ms / 1000)))), sandboxLimits.steps, 'steps'),
  );
}

function stream(words: string): Life {
  const { count = 5, everyMs = 200, rest } = amounts(words, sandboxLimits.steps, 'pieces');
  within((count * everyMs) / 1000, sandboxLimits.seconds, 'seconds in all');
  const pieces = Array.from(
    { length: count },
    (_, nth) => `[${nth + 1}/${count}] ${rest || 'a piece of the answer'}\n`,
  );
  within(pieces.join('').length / 1024, sandboxLimits.kilobytes, 'kilobytes');
  return inPieces(pieces, everyMs);
}

function several(words: string): Life {
  const count = atLeastOne(words || '3', sandboxLimits.artifacts, 'artifacts');
  return completes(
    Array.from({ length: count }, (_, nth): Artifact =>
      artifactOf(text(`Artifact ${nth + 1}`), `part-${nth + 1}`, nth + 1),
    ),
  );
}

const big = (words: string): Life =>
  completesWith({ text: 'x'.repeat(1024 * atLeastOne(words || '64', sandboxLimits.kilobytes, 'kilobytes')) });

const holdsOut = (words: string): Life =>
  inOrder(waits(milliseconds(words || String(sandboxLimits.seconds))), completesWith({ text: 'Nobody canceled it.' }));

export const requires = inOrder(asks('Send a credential as a message; any will do here.', 'credentials'), (scene) =>
  completes([artifactOf(text('The credential was taken.'))])(scene),
);

export const lives: Readonly<Record<string, (words: string) => Life>> = {
  complete: (words) => completesWith({ text: words || 'Done.' }),
  echo: () => echoes,
  message: (words) => answers(text(words || 'An answer without a task.')),
  fail: (words) => fails(words || 'It was asked to fail.'),
  reject: (words) => rejects(words || 'It was asked to reject the task.'),
  ask: (words) => asksOnce(words || 'What is it that you want?'),
  converse: () => converses(0),
  auth: () => requires,
  approve: approves,
  slow,
  wait: holdsOut,
  stream,
  multi: several,
  big,
  file: () => completesWith({ ...file, filename: 'sandbox.txt' }),
  url: () =>
    completesWith({ url: 'https://example.com/sandbox.txt', mediaType: 'text/plain', filename: 'sandbox.txt' }),
  data: () => completesWith({ data: example }),
};
