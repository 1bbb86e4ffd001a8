import { z } from 'zod';
import type { RemovedDocument, SourceDocument } from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { escapedPath } from '../files/git-remote.js';
import { pagesByLink } from '../source-kit/source-pages.js';
import type { GitlabApi } from './gitlab-api.js';
import type { GitlabWikiCursor } from './gitlab-progress.js';
import type { GitlabProject } from './gitlab-projects.js';
import { gitlabAudienceId } from './gitlab-site.js';

const wikiPage = z.object({ slug: z.string(), title: z.string(), format: z.string(), content: z.string() });

/** GitLab lists all pages of a wiki with one response. */
const maxWikiBytes = 32 * 2 ** 20;
/** A webhook about anything else starts a pass within seconds, and a wiki can only be read as a whole. */
const readIntervalMs = 5 * 60_000;
const navigation = /(^|\/)_sidebar$/;

export interface GitlabWiki {
  /** By slug. */
  pages: Map<string, SourceDocument>;
  /** Changes with each page. The API has no times of change. */
  digest: string;
}

/** A project or group. */
interface WikiOwner {
  /** Below the address of the API. Begins the ids of its documents. */
  path: string;
  /** The address of its pages for people. */
  pagesUrl: string;
  container: string;
  audience: string;
}

export async function readGitlabWiki({ rest }: GitlabApi, owner: WikiOwner): Promise<GitlabWiki> {
  const pages = new Map<string, SourceDocument>();
  const request = { query: { with_content: 1 }, item: wikiPage, maxBytes: maxWikiBytes };
  for await (const { items } of pagesByLink(rest, { ...request, path: `/${owner.path}/wikis` }))
    for (const page of items) if (!navigation.test(page.slug)) pages.set(page.slug, documentOf(owner, page));
  const fingerprints = [...pages].map(([slug, { fingerprint }]) => [slug, fingerprint]).sort();
  return { pages, digest: digestOf(JSON.stringify(fingerprints)) };
}

/** The pages that are new or changed, and those that are gone. Everything if no page was read before. */
export function* changesOfGitlabWiki(
  { path }: Pick<WikiOwner, 'path'>,
  { pages, digest }: GitlabWiki,
  before: GitlabWikiCursor | null,
): Generator<SourceDocument | RemovedDocument> {
  if (digest === before?.digest) return;
  yield* pages.values();
  for (const slug of before?.slugs ?? []) if (!pages.has(slug)) yield { removed: gitlabWikiPageId(path, slug) };
}

export const gitlabWikiCursorOf = ({ pages, digest }: GitlabWiki): GitlabWikiCursor => ({
  digest,
  slugs: [...pages.keys()],
  readAt: new Date().toISOString(),
});

export const isGitlabWikiDue = (cursor: GitlabWikiCursor | null | undefined): boolean =>
  !cursor || Date.now() - Date.parse(cursor.readAt) > readIntervalMs;

export const gitlabProjectWiki = (
  { site }: GitlabApi,
  { id, path_with_namespace: name }: GitlabProject,
): WikiOwner => ({
  path: `projects/${id}`,
  pagesUrl: `${site.webUrl}/${name}/-/wikis`,
  container: name,
  audience: gitlabAudienceId(site, id, 'wiki'),
});

const gitlabWikiPageId = (path: string, slug: string): string => `${path}/wiki/${slug}`;

function documentOf(
  { path, pagesUrl, container, audience }: WikiOwner,
  { slug, title, format, content }: z.output<typeof wikiPage>,
): SourceDocument {
  return {
    externalId: gitlabWikiPageId(path, slug),
    kind: 'doc',
    title,
    url: `${pagesUrl}/${escapedPath(slug)}`,
    container,
    position: slug,
    mediaType: format === 'markdown' ? 'text/markdown' : 'text/plain',
    content,
    audience,
    fingerprint: JSON.stringify([digestOf(content), title, format, container]),
  };
}

const digestOf = (text: string): string => sha256(text).toString('base64url');
