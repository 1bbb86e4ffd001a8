import type { Artifact, ArtifactChunk, ListedTool, Part, Turn, TurnEnd } from '../agent-model.port.js';
import type { AnsweredCall } from '../conversation.js';

/** The context of the next step of a scenario. */
export interface StepContext {
  /** From 0. */
  step: number;
  /** Parts of the message that requested the scenario. */
  requestParts: readonly Part[];
  /** Parts of the reply to the last question. */
  replyParts: readonly Part[];
  /** With their outcomes. */
  calls: readonly AnsweredCall[];
  /** For a call that this step requests. */
  ref: string;
  tools(): Promise<readonly ListedTool[]>;
}

export type ScenarioStep = (scene: StepContext) => Turn | Promise<Turn>;
/** Returns the next step. Deterministic, so that another process can continue after a crash. */
export type SandboxScenario = ScenarioStep;

export const inSequence =
  (...steps: ScenarioStep[]): SandboxScenario =>
  (scene) =>
    steps[Math.min(scene.step, steps.length - 1)](scene);

/** Starts again after the last step. */
export const repeating =
  (...steps: ScenarioStep[]): SandboxScenario =>
  (scene) =>
    steps[scene.step % steps.length](scene);

const ending = (end: TurnEnd): Turn => ({ calls: [], end });

export const says =
  (message: string, afterMs = 0): ScenarioStep =>
  () => ({ text: message, calls: [], progress: { message, afterMs } });

export const waits =
  (afterMs: number): ScenarioStep =>
  () => ({ text: `Waiting ${afterMs / 1000} s.`, calls: [], progress: { afterMs } });

export const shows =
  (chunk: ArtifactChunk, afterMs = 0): ScenarioStep =>
  () => ({ text: `Sending a chunk of "${chunk.name ?? chunk.artifactId}".`, calls: [], progress: { chunk, afterMs } });

export const asks =
  (question: string, reason: 'information' | 'credentials' = 'information'): ScenarioStep =>
  () =>
    ending({ state: 'input-required', question, reason });

export const completes =
  (artifacts: Artifact[], message?: string): ScenarioStep =>
  () =>
    ending({ state: 'completed', artifacts, ...(message === undefined ? {} : { message }) });

/** Protocols with direct message answers return the message instead of a task. */
export const answers =
  (parts: Part[]): ScenarioStep =>
  () =>
    ending({ state: 'completed', artifacts: [toArtifact(parts)], message: textOf(parts), answersWith: 'message' });

export const fails =
  (detail: string): ScenarioStep =>
  () =>
    ending({ state: 'failed', code: 'sandbox', detail });

export const rejects =
  (detail: string): ScenarioStep =>
  () =>
    ending({ state: 'rejected', code: 'sandbox', detail });

export const toArtifact = (parts: readonly Part[], name = 'answer', nth = 1): Artifact => ({
  artifactId: String(nth),
  name,
  parts: parts.map(withoutSource),
});

export const textOf = (parts: readonly Part[]): string =>
  parts
    .flatMap((part) => ('text' in part ? [part.text] : []))
    .join('\n')
    .trim();

const withoutSource = (part: Part): Part => ('data' in part ? { data: part.data } : part);

/** Merges chunks into artifacts in the same way as the task does. */
export function assembled(chunks: readonly ArtifactChunk[]): Artifact[] {
  const artifacts = new Map<string, Artifact>();
  for (const { artifactId, name, parts, append } of chunks) {
    const before = artifacts.get(artifactId);
    artifacts.set(artifactId, {
      artifactId,
      name: name ?? before?.name ?? artifactId,
      parts: append && before ? [...before.parts, ...parts] : parts,
    });
  }
  return [...artifacts.values()];
}
