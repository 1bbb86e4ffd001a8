import { z } from 'zod';
import { StagedFormat } from '../source-kit/staged-progress.js';

export const gitlabStages = ['issues', 'merge_requests', 'code', 'wiki'] as const;
export type GitlabStage = (typeof gitlabStages)[number];
export type GitlabThreadStage = Exclude<GitlabStage, 'code' | 'wiki'>;

/** The pages of a wiki that were read last. */
export const gitlabWikiCursor = z.object({ digest: z.string(), slugs: z.array(z.string()), readAt: z.string() });
export type GitlabWikiCursor = z.output<typeof gitlabWikiCursor>;

const projectCursor = z.object({
  issues: z.string().nullable(),
  merge_requests: z.string().nullable(),
  /** The commit whose files were read last. */
  commit: z.string().nullable(),
  wiki: gitlabWikiCursor.nullable(),
});
/** The position of `changes` in one project. */
export type GitlabProjectCursor = z.output<typeof projectCursor>;

export const gitlabFormat = new StagedFormat(gitlabStages, projectCursor);

/** Passes overlap, because replicas of the database lag behind. */
const overlapMs = 10 * 60_000;

export const gitlabSinceOf = (latest: string | null): string | null =>
  latest === null ? null : new Date(Date.parse(latest) - overlapMs).toISOString();
