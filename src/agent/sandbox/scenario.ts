import type { Artifact, ArtifactChunk, ListedTool, Part, Turn, TurnEnd } from '../agent-model.port.js';
import type { AnsweredCall } from '../conversation.js';

/** Where a life stands when its next step is played. */
export interface StepContext {
  /** From 0. */
  step: number;
  /** What the message brought that asked for it. */
  requestParts: readonly Part[];
  /** What came in reply to the last question. */
  replyParts: readonly Part[];
  /** With what became of them. */
  calls: readonly AnsweredCall[];
  /** For a call that this step asks for. */
  ref: string;
  tools(): Promise<readonly ListedTool[]>;
}

export type ScenarioStep = (scene: StepContext) => Turn | Promise<Turn>;
/** The next step of a life; the same scene always leads to the same one, so that a successor goes on where a process died. */
export type SandboxScenario = ScenarioStep;

export const inSequence =
  (...steps: ScenarioStep[]): SandboxScenario =>
  (scene) =>
    steps[Math.min(scene.step, steps.length - 1)](scene);

/** Begins again after its last step. */
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
  () => ({ text: `Waits ${afterMs / 1000} s.`, calls: [], progress: { afterMs } });

export const shows =
  (chunk: ArtifactChunk, afterMs = 0): ScenarioStep =>
  () => ({ text: `Shows a piece of "${chunk.name ?? chunk.artifactId}".`, calls: [], progress: { chunk, afterMs } });

export const asks =
  (question: string, reason: 'information' | 'credentials' = 'information'): ScenarioStep =>
  () =>
    ending({ state: 'input-required', question, reason });

export const completes =
  (artifacts: Artifact[], message?: string): ScenarioStep =>
  () =>
    ending({ state: 'completed', artifacts, ...(message === undefined ? {} : { message }) });

/** Where a wire knows such a thing, there is no task to look at. */
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

/** What was shown in pieces, put together as the task does it. */
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
