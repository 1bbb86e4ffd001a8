import { z } from 'zod';
import { StagedFormat } from '../source-kit/staged-progress.js';

const listCursor = z.object({ since: z.string().nullable(), etag: z.string().optional() });
const head = z.object({ commit: z.string(), tree: z.string() });
/** The commit is null after an incomplete reading. */
const wikiCursor = z.object({ commit: z.string().nullable(), scope: z.string() });
const repositoryCursor = z.object({
  issues: listCursor,
  issueComments: listCursor,
  reviewComments: listCursor,
  discussionsSince: z.string().nullable(),
  head: head.nullable(),
  branch: z.string(),
  pushedAt: z.string().nullable(),
  wiki: wikiCursor.nullable(),
  /** When the wiki was read or had no pages. Null after it could not be read. */
  wikiCheckedAt: z.string().nullable(),
});
/** The position of `changes` in one repository. */
export type GithubRepositoryCursor = z.output<typeof repositoryCursor>;

export const githubStages = ['issues', 'discussions', 'code', 'wiki'] as const;
export type GithubStage = (typeof githubStages)[number];

export const githubFormat = new StagedFormat(githubStages, repositoryCursor);

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
