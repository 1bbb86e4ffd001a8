import { z } from 'zod';
import type { Artifact, ArtifactChunk, Part } from '../agent-model.port.js';
import { callSteps, unlessFailed } from './approval.js';
import {
  answers,
  toArtifact,
  asks,
  assembled,
  completes,
  fails,
  inSequence,
  type SandboxScenario,
  rejects,
  says,
  shows,
  type ScenarioStep,
  waits,
} from './scenario.js';
import { SandboxLimitError, sandboxLimits, assertWithinLimit } from './limits.js';

/* Scenarios that the caller scripts: a data part {"play": [step, …]}. Times are in milliseconds. */

const fileFields = { mediaType: z.string().max(255).optional(), filename: z.string().max(255).optional() };
const scriptPartSchema: z.ZodType<Part> = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ data: z.json() }),
  z.strictObject({ raw: z.base64(), ...fileFields }),
  z.strictObject({ url: z.url(), ...fileFields }),
]);
const partsSchema = z.union([z.string().transform((text): Part[] => [{ text }]), z.array(scriptPartSchema).min(1)]);
const idSchema = z.string().min(1).max(128);
const delaySchema = z.number().int().min(0).default(0);
const chunkSchema = z.strictObject({
  artifactId: idSchema.default('1'),
  name: idSchema.optional(),
  parts: partsSchema,
  append: z.boolean().default(false),
  lastChunk: z.boolean().default(false),
});
const artifactSchema = z.strictObject({
  artifactId: idSchema.optional(),
  name: idSchema.default('answer'),
  parts: partsSchema,
});

const stepSchema = z.union([
  z.strictObject({ say: z.string().min(1), after: delaySchema }),
  z.strictObject({ wait: delaySchema }),
  z.strictObject({ chunk: chunkSchema, after: delaySchema }),
  z.strictObject({ ask: z.string().min(1) }),
  z.strictObject({ credentials: z.string().min(1) }),
  z.strictObject({ call: z.string().min(1), arguments: z.record(z.string(), z.json()).default({}) }),
  z.strictObject({ message: partsSchema }),
  z.strictObject({
    complete: z.union([
      partsSchema.transform((given) => [toArtifact(given)]),
      z.array(artifactSchema).transform(toArtifacts),
    ]),
  }),
  z.strictObject({ fail: z.string().min(1) }),
  z.strictObject({ reject: z.string().min(1) }),
]);
type ScriptStep = z.output<typeof stepSchema>;
const scriptSchema = z.strictObject({ play: z.array(stepSchema).min(1) });

function toArtifacts(artifacts: z.output<typeof artifactSchema>[]): Artifact[] {
  return artifacts.map(({ artifactId, name, parts: given }, nth) => ({
    ...toArtifact(given, name, nth + 1),
    ...(artifactId === undefined ? {} : { artifactId }),
  }));
}

/** Null: the message has no scenario. Throws `SandboxLimitError` if the scenario is invalid or exceeds a limit. */
export function findScriptedScenario(message: readonly Part[]): SandboxScenario | null {
  const data = message.flatMap((part) => ('data' in part ? [part.data] : [])).find(isScript);
  if (!data) return null;
  const read = scriptSchema.safeParse(data);
  if (!read.success) throw new SandboxLimitError(`The scenario in "play" is not valid: ${faultsOf(read.error)}.`);
  const given = read.data.play;
  assertWithinLimit(given.length, sandboxLimits.steps, 'steps');
  assertWithinLimit(
    given.reduce((sum, one) => sum + durationMs(one), 0) / 1000,
    sandboxLimits.seconds,
    'seconds in total',
  );
  const shown = assembled(given.flatMap((one): ArtifactChunk[] => ('chunk' in one ? [one.chunk] : [])));
  return inSequence(...[...given.flatMap((one) => toSteps(one, shown)), completes(shown)].map(unlessFailed));
}

const isScript = (data: unknown): boolean => typeof data === 'object' && data !== null && 'play' in data;
const durationMs = (one: ScriptStep) => ('wait' in one ? one.wait : 'after' in one ? one.after : 0);
const faultsOf = (error: z.ZodError) =>
  error.issues
    .slice(0, 3)
    .map(({ path, message }) => `/${path.join('/')} ${message}`)
    .join('; ');

function toSteps(one: ScriptStep, shown: Artifact[]): ScenarioStep[] {
  if ('say' in one) return [says(one.say, one.after)];
  if ('wait' in one) return [waits(one.wait)];
  if ('chunk' in one) return [shows(one.chunk, one.after)];
  if ('ask' in one) return [asks(one.ask)];
  if ('credentials' in one) return [asks(one.credentials, 'credentials')];
  if ('call' in one) return callSteps(one.call, JSON.stringify(one.arguments)).slice(0, 1);
  if ('message' in one) return [answers(one.message)];
  if ('complete' in one) return [completes(mergeArtifacts(shown, one.complete))];
  return ['fail' in one ? fails(one.fail) : rejects(one.reject)];
}

/** A complete artifact at the end replaces its chunks. */
const mergeArtifacts = (shown: Artifact[], given: Artifact[]): Artifact[] => {
  const ids = new Set(given.map(({ artifactId }) => artifactId));
  return [...shown.filter(({ artifactId }) => !ids.has(artifactId)), ...given];
};
