import { z } from 'zod';
import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { escapedPath } from '../files/git-remote.js';
import { pagesByLink } from '../source-kit/source-pages.js';
import type { GitlabApi } from './gitlab-api.js';
import type { GitlabProject } from './gitlab-projects.js';
import { gitlabAudienceId } from './gitlab-site.js';

const wikiPage = z.object({ slug: z.string(), title: z.string(), format: z.string(), content: z.string() });

/** GitLab lists all pages of a wiki with one response. */
const maxWikiBytes = 32 * 2 ** 20;
const navigation = /(^|\/)_sidebar$/;

export interface GitlabWiki {
  /** By slug. */
  pages: Map<string, SourceDocument>;
  /** Changes with each page. The API has no times of change. */
  digest: string;
}

export async function readGitlabWiki(api: GitlabApi, project: GitlabProject): Promise<GitlabWiki> {
  const pages = new Map<string, SourceDocument>();
  const path = `/projects/${project.id}/wikis`;
  const request = { path, query: { with_content: 1 }, item: wikiPage, maxBytes: maxWikiBytes };
  for await (const { items } of pagesByLink(api.rest, request))
    for (const page of items) if (!navigation.test(page.slug)) pages.set(page.slug, documentOf(api, project, page));
  const fingerprints = [...pages].map(([slug, { fingerprint }]) => [slug, fingerprint]).sort();
  return { pages, digest: digestOf(JSON.stringify(fingerprints)) };
}

export const gitlabWikiPageId = (projectId: number, slug: string): string => `projects/${projectId}/wiki/${slug}`;

function documentOf(
  { site }: GitlabApi,
  { id, path_with_namespace: container }: GitlabProject,
  { slug, title, format, content }: z.output<typeof wikiPage>,
): SourceDocument {
  return {
    externalId: gitlabWikiPageId(id, slug),
    kind: 'doc',
    title,
    url: `${site.webUrl}/${container}/-/wikis/${escapedPath(slug)}`,
    container,
    position: slug,
    mediaType: format === 'markdown' ? 'text/markdown' : 'text/plain',
    content,
    audience: gitlabAudienceId(site, id, 'wiki'),
    fingerprint: JSON.stringify([digestOf(content), title, format, container]),
  };
}

const digestOf = (text: string): string => sha256(text).toString('base64url');
