import { IsolationError } from '../../platform/isolation/isolation.error.js';
import { isolatedJob, type IsolatedJob } from '../../platform/isolation/isolated-job.js';
import { runWithRetry } from '../../platform/isolation/repeated-runs.js';
import type { PageInput, PageResult } from './page.isolated.js';
import type { RobotsInput, RobotsResult } from './robots.isolated.js';
import type { SitemapResult } from './sitemap.isolated.js';

const limits = { cpuMs: 20_000, residentMb: 512 };

const robotsJob: IsolatedJob<RobotsInput, RobotsResult> = isolatedJob(
  'website-robots',
  new URL('./robots.isolated.js', import.meta.url),
  limits,
);
const sitemapJob: IsolatedJob<Uint8Array, SitemapResult> = isolatedJob(
  'website-sitemap',
  new URL('./sitemap.isolated.js', import.meta.url),
  limits,
);
const pageJob: IsolatedJob<PageInput, PageResult> = isolatedJob(
  'website-page',
  new URL('./page.isolated.js', import.meta.url),
  limits,
);

export async function applyRobots(input: RobotsInput, owner: string): Promise<RobotsResult> {
  const outcome = await runWithRetry(robotsJob, input, owner);
  if ('output' in outcome) return outcome.output;
  throw new Error('The robots.txt of the website takes too much time or memory to apply, so nothing is read.');
}

export async function parseSitemap(bytes: Uint8Array, owner: string): Promise<SitemapResult> {
  const outcome = await runWithRetry(sitemapJob, bytes, owner);
  return 'output' in outcome ? outcome.output : { fault: 'takes too much time or memory to read' };
}

/** Throws `IsolationError` if the page must be read later. */
export async function parsePage(input: PageInput, owner: string): Promise<PageResult> {
  const outcome = await runWithRetry(pageJob, input, owner);
  return 'output' in outcome ? outcome.output : { fault: new IsolationError('page', outcome.failure).message };
}
