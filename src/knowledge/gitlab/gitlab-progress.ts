import { z } from 'zod';
import type { JsonObject } from '../../platform/json/strict-json.js';

export const gitlabStages = ['issues', 'merge_requests', 'code'] as const;
export type GitlabStage = (typeof gitlabStages)[number];
export type GitlabThreadStage = Exclude<GitlabStage, 'code'>;

const projectCursor = z.object({
  issues: z.string().nullable(),
  merge_requests: z.string().nullable(),
  /** The commit whose files were read last. */
  commit: z.string().nullable(),
});
/** The position of `changes` in one project. */
export type GitlabProjectCursor = z.output<typeof projectCursor>;

const cursor = z.object({
  version: z.literal(1),
  /** The content that the pass included. */
  stages: z.array(z.enum(gitlabStages)),
  projects: z.record(z.string(), projectCursor),
});
export type GitlabCursor = z.output<typeof cursor>;

const progress = z.object({
  version: z.literal(1),
  /** Unreadable parts. A resumed pass reports them again, so that their documents are not removed. */
  closed: z.array(z.object({ id: z.string(), reason: z.string() })),
  /** The cursors of completed projects. */
  done: z.record(z.string(), projectCursor),
  current: z
    .object({
      project: z.number(),
      cursor: projectCursor,
      stage: z.enum(gitlabStages),
      /** Threads: the time of the last change. Code: the last path. */
      at: z.string().nullable(),
    })
    .nullable(),
});
export type GitlabProgress = z.output<typeof progress>;

export const gitlabCursorIn = (value: JsonObject): GitlabCursor | null => cursor.safeParse(value).data ?? null;

/** Progress in another format is ignored, so that the pass starts over. */
export const gitlabProgressIn = (value: JsonObject | null): GitlabProgress =>
  progress.safeParse(value).data ?? { version: 1, closed: [], done: {}, current: null };

/** A copy, so that progress that is stored later does not change. */
export const gitlabJson = (value: GitlabCursor | GitlabProgress): JsonObject =>
  JSON.parse(JSON.stringify(value)) as JsonObject;

/** Passes overlap, because replicas of the database lag behind. */
const overlapMs = 10 * 60_000;

export const gitlabSinceOf = (latest: string | null): string | null =>
  latest === null ? null : new Date(Date.parse(latest) - overlapMs).toISOString();
