import { z } from 'zod';
import type { JsonObject } from '../../platform/json/strict-json.js';

const listCursor = z.object({ since: z.string().nullable(), etag: z.string().optional() });
const head = z.object({ commit: z.string(), tree: z.string() });
const repositoryCursor = z.object({
  issues: listCursor,
  issueComments: listCursor,
  reviewComments: listCursor,
  discussionsSince: z.string().nullable(),
  head: head.nullable(),
  branch: z.string(),
  pushedAt: z.string().nullable(),
});
/** The position of `changes` in one repository. */
export type GithubRepositoryCursor = z.output<typeof repositoryCursor>;

export const githubStages = ['issues', 'discussions', 'code'] as const;
export type GithubStage = (typeof githubStages)[number];

const cursor = z.object({
  version: z.literal(1),
  /** The content that the pass included. */
  stages: z.array(z.enum(githubStages)),
  repositories: z.record(z.string(), repositoryCursor),
});
export type GithubCursor = z.output<typeof cursor>;

const progress = z.object({
  version: z.literal(1),
  /** Unreadable parts. A resumed pass reports them again, so that their documents are not removed. */
  closed: z.array(z.object({ id: z.string(), reason: z.string() })),
  /** The cursors of completed repositories. */
  done: z.record(z.string(), repositoryCursor),
  current: z
    .object({
      repository: z.number(),
      cursor: repositoryCursor,
      stage: z.enum(githubStages),
      /** Issues: the time of the last change. Discussions: the cursor of the next page. Code: the last path. */
      at: z.string().nullable(),
    })
    .nullable(),
});
export type GithubProgress = z.output<typeof progress>;

export const githubCursorIn = (value: JsonObject): GithubCursor | null => cursor.safeParse(value).data ?? null;

/** Progress in another format is ignored, so that the pass starts over. */
export const githubProgressIn = (value: JsonObject | null): GithubProgress =>
  progress.safeParse(value).data ?? { version: 1, closed: [], done: {}, current: null };

/** Removes undefined values. */
export const asJson = (value: GithubCursor | GithubProgress): JsonObject =>
  JSON.parse(JSON.stringify(value)) as JsonObject;

/** Passes overlap, because GitHub's lists lag behind and its times have whole seconds. */
const overlapMs = 10 * 60_000;
const settlingMs = 60_000;

export function githubSinceOf(latest: string | null): string | null {
  if (latest === null) return null;
  return new Date(Date.parse(latest) - overlapMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/**
 * The time of the last push, from which an unchanged repository is recognized. Null if it is so recent that another push
 * can have the same time, which has whole seconds.
 */
export const settledPush = (pushedAt: string | null | undefined, now = Date.now()): string | null =>
  pushedAt && now - Date.parse(pushedAt) > settlingMs ? pushedAt : null;

export const laterOf = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && Date.parse(b) > Date.parse(a)) ? b : a;
