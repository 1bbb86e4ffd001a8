import { z } from 'zod';
import { CursorExpired } from '../../connections/connections.error.js';
import type { JsonObject } from '../../platform/json/strict-json.js';

/** A part that could not be read. A resumed pass reports it again, so that its documents are not removed. */
const closedPart = z.object({ id: z.string(), reason: z.string() });
export type ClosedPart = z.output<typeof closedPart>;

/** The position of `changes` in each container. */
export interface StagedCursor<S, C> {
  version: 1;
  /** The content that the pass included. */
  stages: S[];
  containers: Record<string, C>;
}

/** How far a complete pass is. It reads container by container, and in each of them stage by stage. */
export interface StagedProgress<S, C> {
  version: 1;
  closed: ClosedPart[];
  /** The cursors of completed containers. */
  done: Record<string, C>;
  /** `at`: the position in the stage, such as a time, the cursor of a page or a path. */
  current: { container: number; cursor: C; stage: S; at: string | null } | null;
}

/** Reads the stored progress and cursor of a connector whose containers have numbers and stages. */
export class StagedFormat<S extends string, C> {
  private readonly cursor: z.ZodType<StagedCursor<S, C>>;
  private readonly progress: z.ZodType<StagedProgress<S, C>>;

  constructor(stages: readonly S[], containerCursor: z.ZodType<C>) {
    const stage = z.enum(stages);
    const version = z.literal(1);
    const containers = z.record(z.string(), containerCursor);
    this.cursor = z.object({ version, stages: z.array(stage), containers });
    this.progress = z.object({
      version,
      closed: z.array(closedPart),
      done: containers,
      current: z
        .object({ container: z.number(), cursor: containerCursor, stage, at: z.string().nullable() })
        .nullable(),
    });
  }

  /** Throws `CursorExpired` if the cursor has another format or is of other content. */
  openCursor(value: JsonObject, stages: readonly S[]): StagedCursor<S, C> {
    const cursor = this.cursor.safeParse(value).data;
    if (!cursor) throw new CursorExpired('The cursor has another format.');
    if (cursor.stages.join() !== stages.join()) throw new CursorExpired('The content of the connection changed.');
    return cursor;
  }

  /** Progress in another format is ignored, so that the pass starts over. */
  openProgress(value: JsonObject | null): StagedProgress<S, C> {
    return this.progress.safeParse(value).data ?? { version: 1, closed: [], done: {}, current: null };
  }
}

/** Throws `CursorExpired` if the cursor is of other containers. */
export function assertSameContainers<S, C>(cursor: StagedCursor<S, C>, containers: readonly { id: number }[]): void {
  const known = new Set(Object.keys(cursor.containers));
  if (known.size !== containers.length || !containers.every(({ id }) => known.has(String(id))))
    throw new CursorExpired('The selection of the connection changed.');
}

/** A copy without undefined values, which does not change when the pass continues. */
export const jsonOf = <S, C>(value: StagedCursor<S, C> | StagedProgress<S, C>): JsonObject =>
  JSON.parse(JSON.stringify(value)) as JsonObject;
