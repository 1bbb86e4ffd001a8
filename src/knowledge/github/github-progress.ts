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
/** Where `changes` continues in one repository. */
export type GithubRepositoryCursor = z.output<typeof repositoryCursor>;

const cursor = z.object({ version: z.literal(1), repositories: z.record(z.string(), repositoryCursor) });
export type GithubCursor = z.output<typeof cursor>;

export const githubStages = ['issues', 'discussions', 'code'] as const;
export type GithubStage = (typeof githubStages)[number];

const progress = z.object({
  version: z.literal(1),
  /** Of repositories that were read to the end. */
  done: z.record(z.string(), repositoryCursor),
  current: z
    .object({
      repository: z.number(),
      cursor: repositoryCursor,
      stage: z.enum(githubStages),
      /** Issues: the time that was reached. Discussions: the cursor of the next page. Code: the last path. */
      at: z.string().nullable(),
    })
    .nullable(),
});
export type GithubProgress = z.output<typeof progress>;

export const githubCursorIn = (value: JsonObject): GithubCursor | null => cursor.safeParse(value).data ?? null;

/** A pass of an earlier version starts over. */
export const githubProgressIn = (value: JsonObject | null): GithubProgress =>
  progress.safeParse(value).data ?? { version: 1, done: {}, current: null };

/** Without undefined values, which JSON does not have. */
export const asJson = (value: GithubCursor | GithubProgress): JsonObject =>
  JSON.parse(JSON.stringify(value)) as JsonObject;

/** Lists of GitHub lag behind, and its times are whole seconds: the next pass looks back. */
const overlapMs = 10 * 60_000;

export function githubSinceOf(latest: string | null): string | null {
  if (latest === null) return null;
  return new Date(Date.parse(latest) - overlapMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

export const laterOf = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && Date.parse(b) > Date.parse(a)) ? b : a;
