import { z } from 'zod';
import type { Artifact, ArtifactChunk, Part } from '../agent-model.service.js';
import { calls, unlessFailed } from './approval.js';
import {
  answers,
  artifactOf,
  asks,
  assembled,
  completes,
  fails,
  inOrder,
  type Life,
  rejects,
  says,
  shows,
  type Step,
  waits,
} from './life.js';
import { OutOfBounds, sandboxLimits, within } from './limits.js';

/* A life of the caller's own making: a data part {"play": [step, …]}. Times are milliseconds. */

const about = { mediaType: z.string().max(255).optional(), filename: z.string().max(255).optional() };
const part: z.ZodType<Part> = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ data: z.json() }),
  z.strictObject({ raw: z.base64(), ...about }),
  z.strictObject({ url: z.url(), ...about }),
]);
const parts = z.union([z.string().transform((text): Part[] => [{ text }]), z.array(part).min(1)]);
const id = z.string().min(1).max(128);
const after = z.number().int().min(0).default(0);
const chunk = z.strictObject({
  artifactId: id.default('1'),
  name: id.optional(),
  parts,
  append: z.boolean().default(false),
  lastChunk: z.boolean().default(false),
});
const artifact = z.strictObject({ artifactId: id.optional(), name: id.default('answer'), parts });

const step = z.union([
  z.strictObject({ say: z.string().min(1), after }),
  z.strictObject({ wait: after }),
  z.strictObject({ chunk, after }),
  z.strictObject({ ask: z.string().min(1) }),
  z.strictObject({ credentials: z.string().min(1) }),
  z.strictObject({ call: z.string().min(1), arguments: z.record(z.string(), z.json()).default({}) }),
  z.strictObject({ message: parts }),
  z.strictObject({
    complete: z.union([parts.transform((given) => [artifactOf(given)]), z.array(artifact).transform(named)]),
  }),
  z.strictObject({ fail: z.string().min(1) }),
  z.strictObject({ reject: z.string().min(1) }),
]);
type PlayStep = z.output<typeof step>;
const play = z.strictObject({ play: z.array(step).min(1) });

function named(artifacts: z.output<typeof artifact>[]): Artifact[] {
  return artifacts.map(({ artifactId, name, parts: given }, nth) => ({
    ...artifactOf(given, name, nth + 1),
    ...(artifactId === undefined ? {} : { artifactId }),
  }));
}

/** Null: the message brings no play. Throws `OutOfBounds` where it brings one that cannot be read or is too long. */
export function playOf(message: readonly Part[]): Life | null {
  const data = message.flatMap((part) => ('data' in part ? [part.data] : [])).find(isPlay);
  if (!data) return null;
  const read = play.safeParse(data);
  if (!read.success) throw new OutOfBounds(`The play cannot be read: ${faultsOf(read.error)}.`);
  const given = read.data.play;
  within(given.length, sandboxLimits.steps, 'steps');
  within(given.reduce((sum, one) => sum + msOf(one), 0) / 1000, sandboxLimits.seconds, 'seconds in all');
  const shown = assembled(given.flatMap((one): ArtifactChunk[] => ('chunk' in one ? [one.chunk] : [])));
  return inOrder(...[...given.flatMap((one) => stepsOf(one, shown)), completes(shown)].map(unlessFailed));
}

const isPlay = (data: unknown): boolean => typeof data === 'object' && data !== null && 'play' in data;
const msOf = (one: PlayStep) => ('wait' in one ? one.wait : 'after' in one ? one.after : 0);
const faultsOf = (error: z.ZodError) =>
  error.issues
    .slice(0, 3)
    .map(({ path, message }) => `/${path.join('/')} ${message}`)
    .join('; ');

function stepsOf(one: PlayStep, shown: Artifact[]): Step[] {
  if ('say' in one) return [says(one.say, one.after)];
  if ('wait' in one) return [waits(one.wait)];
  if ('chunk' in one) return [shows(one.chunk, one.after)];
  if ('ask' in one) return [asks(one.ask)];
  if ('credentials' in one) return [asks(one.credentials, 'credentials')];
  if ('call' in one) return calls(one.call, JSON.stringify(one.arguments)).slice(0, 1);
  if ('message' in one) return [answers(one.message)];
  if ('complete' in one) return [completes(together(shown, one.complete))];
  return ['fail' in one ? fails(one.fail) : rejects(one.reject)];
}

/** An artifact that is given whole at the end takes the place of its pieces. */
const together = (shown: Artifact[], given: Artifact[]): Artifact[] => {
  const ids = new Set(given.map(({ artifactId }) => artifactId));
  return [...shown.filter(({ artifactId }) => !ids.has(artifactId)), ...given];
};
