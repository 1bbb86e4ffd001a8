import { z } from 'zod';
import type { DocumentsContext, RemovedDocument, SourceDocument } from '../../connections/knowledge-source.port.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { selectedIds } from '../source-kit/selected-containers.js';
import { pagesByLink } from '../source-kit/source-pages.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { GitlabApi } from './gitlab-api.js';
import { gitlabWikiCursor } from './gitlab-progress.js';
import { gitlabFeatureLevel, gitlabRoles } from './gitlab-projects.js';
import { gitlabGroupWikiAudienceId } from './gitlab-site.js';
import { changesOfGitlabWiki, gitlabWikiCursorOf, isGitlabWikiDue, readGitlabWiki } from './gitlab-wikis.js';

const group = z.object({
  id: z.number().int(),
  full_path: z.string(),
  visibility: z.enum(['public', 'internal', 'private']).catch('private'),
  /** Missing in editions without wikis of groups. */
  wiki_access_level: gitlabFeatureLevel,
});
export type GitlabGroup = z.output<typeof group>;

const cursors = z.record(z.string(), gitlabWikiCursor);
/** By the id of the group. */
export type GitlabGroupCursors = z.output<typeof cursors>;

export const gitlabGroupCursorsIn = ({ groupWikis }: JsonObject): GitlabGroupCursors =>
  cursors.safeParse(groupWikis).data ?? {};

/** The groups with wikis in which the token has a role. None if projects are chosen, because a wiki belongs to no project. */
export async function listGitlabWikiGroups(api: GitlabApi, settings: Record<string, unknown>): Promise<GitlabGroup[]> {
  if (selectedIds(settings) !== null) return [];
  const groups = new Map<number, GitlabGroup>();
  const query = { min_access_level: gitlabRoles.guest, order_by: 'id', sort: 'asc', per_page: 100 };
  for await (const { items } of pagesByLink(api.rest, { path: '/groups', item: group, query }))
    for (const one of items) if (one.wiki_access_level !== 'disabled') groups.set(one.id, one);
  return [...groups.values()];
}

/** Pages of the wikis of groups that changed since the cursors, which are updated. Without cursors: all pages. */
export async function* gitlabGroupWikiChanges(
  api: GitlabApi,
  context: DocumentsContext,
  cursors: GitlabGroupCursors,
): AsyncGenerator<SourceDocument | RemovedDocument> {
  const groups = await listGitlabWikiGroups(api, context.settings);
  const listed = new Set(groups.map(({ id }) => String(id)));
  for (const id of Object.keys(cursors).filter((one) => !listed.has(one))) {
    yield* changesOfGitlabWiki({ path: `groups/${id}` }, noPages, cursors[id]);
    delete cursors[id];
  }
  for (const { id, full_path: container } of groups) {
    if (!isGitlabWikiDue(cursors[id])) continue;
    const path = `groups/${id}`;
    const pagesUrl = `${api.site.webUrl}/groups/${container}/-/wikis`;
    const owner = { path, pagesUrl, container, audience: gitlabGroupWikiAudienceId(api.site, id) };
    try {
      const wiki = await readGitlabWiki(api, owner);
      yield* changesOfGitlabWiki(owner, wiki, cursors[id] ?? null);
      cursors[id] = gitlabWikiCursorOf(wiki);
    } catch (error) {
      if (!isSourceFault(error, 'forbidden', 'missing', 'too-large')) throw error;
      // its documents stay, and the roster still decides who can find them
      context.skipped(`${path}/wiki/`, `${container}: The wiki of the group cannot be read: ${error.message}`);
    }
  }
}

const noPages = { pages: new Map<string, SourceDocument>(), digest: '' };
