import type { Artifact, ArtifactChunk, ListedTool, Part, Turn, TurnEnd } from '../agent-model.service.js';
import type { AnsweredCall } from '../conversation.js';

/** Where a life stands when its next step is played. */
export interface Scene {
  /** From 0. */
  step: number;
  /** What the message brought that asked for it. */
  asked: readonly Part[];
  /** What came in reply to the last question. */
  answer: readonly Part[];
  /** With what became of them. */
  calls: readonly AnsweredCall[];
  /** For a call that this step asks for. */
  ref: string;
  tools(): Promise<readonly ListedTool[]>;
}

export type Step = (scene: Scene) => Turn | Promise<Turn>;
/** The next step of a life; the same scene always leads to the same one, so that a successor goes on where a process died. */
export type Life = Step;

export const inOrder =
  (...steps: Step[]): Life =>
  (scene) =>
    steps[Math.min(scene.step, steps.length - 1)](scene);

/** Begins again after its last step. */
export const overAndOver =
  (...steps: Step[]): Life =>
  (scene) =>
    steps[scene.step % steps.length](scene);

const ending = (end: TurnEnd): Turn => ({ calls: [], end });

export const says =
  (message: string, afterMs = 0): Step =>
  () => ({ text: message, calls: [], progress: { message, afterMs } });

export const waits =
  (afterMs: number): Step =>
  () => ({ text: `Waits ${afterMs / 1000} s.`, calls: [], progress: { afterMs } });

export const shows =
  (chunk: ArtifactChunk, afterMs = 0): Step =>
  () => ({ text: `Shows a piece of "${chunk.name ?? chunk.artifactId}".`, calls: [], progress: { chunk, afterMs } });

export const asks =
  (question: string, reason: 'information' | 'credentials' = 'information'): Step =>
  () =>
    ending({ state: 'input-required', question, reason });

export const completes =
  (artifacts: Artifact[], message?: string): Step =>
  () =>
    ending({ state: 'completed', artifacts, ...(message === undefined ? {} : { message }) });

/** Where a wire knows such a thing, there is no task to look at. */
export const answers =
  (parts: Part[]): Step =>
  () =>
    ending({ state: 'completed', artifacts: [artifactOf(parts)], message: textOf(parts), answersWith: 'message' });

export const fails =
  (detail: string): Step =>
  () =>
    ending({ state: 'failed', code: 'sandbox', detail });

export const rejects =
  (detail: string): Step =>
  () =>
    ending({ state: 'rejected', code: 'sandbox', detail });

export const artifactOf = (parts: readonly Part[], name = 'answer', nth = 1): Artifact => ({
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
