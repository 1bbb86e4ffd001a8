import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceQuota } from '../../connections/knowledge-source.port.js';
import { atlassianClient } from '../atlassian/atlassian-site.js';
import type { SourceClient } from '../source-kit/source-client.js';
import { pagesByCursor } from '../source-kit/source-pages.js';
import { SourceRequestError } from '../source-kit/source-request.error.js';
import {
  confluenceComment,
  confluenceContent,
  confluenceFolder,
  confluenceSpace,
  confluenceUser,
  currentUser,
  cursorList,
  groupMember,
  offsetList,
  readRestriction,
  roleAssignment,
  searchedContent,
  spacePermission,
  spacePermissionsV1,
  spaceRole,
  type ConfluenceComment,
  type ConfluenceContent,
  type ConfluenceSpace,
  type ConfluenceUser,
  type ReadRestriction,
} from './confluence-schemas.js';

const v1 = '/wiki/rest/api';
const v2 = '/wiki/api/v2';
const perPage = 250;
export const commentsPerPage = perPage;
export const mostPerRestrictionRead = 50;
export const mostPerBodyRead = 25;
export const mostPerUserRead = 250;
const membersPerPage = 200;

export type ContentType = 'pages' | 'blogposts';
export const commentPlaces = ['footer-comments', 'inline-comments'] as const;
export type CommentPlace = (typeof commentPlaces)[number];
const withBody = { 'body-format': 'storage' };

/** Calls the REST API of Confluence Cloud: version 2, or version 1 where version 2 has no endpoint. */
export class ConfluenceClient {
  readonly client: SourceClient;

  constructor(
    context: ConnectionContext,
    options: { quota?: (status: SourceQuota) => void; isInteractive?: boolean } = {},
  ) {
    this.client = atlassianClient(context, { system: 'Confluence', ...options });
  }

  /** Throws if the credential is invalid. Some endpoints treat such requests as anonymous instead of rejecting them. */
  async assertSignedIn(): Promise<void> {
    const { type } = await this.client.get(`${v1}/user/current`, currentUser);
    if (type === 'anonymous')
      throw new SourceRequestError(
        'unauthorized',
        'Confluence does not accept the e-mail address and API token.',
        401,
        true,
      );
  }

  spaces(): AsyncGenerator<ConfluenceSpace[]> {
    return this.pages(`${v2}/spaces`, confluenceSpace, { status: 'current' });
  }

  async spaceByKey(key: string): Promise<ConfluenceSpace | null> {
    const { results } = await this.client.get(`${v2}/spaces`, cursorList(confluenceSpace), { keys: key, limit: 1 });
    return results[0] ?? null;
  }

  /** All pages or blog posts of a space, without their texts. */
  contents(spaceId: string, type: ContentType): AsyncGenerator<ConfluenceContent[]> {
    return this.pages(`${v2}/spaces/${encodeURIComponent(spaceId)}/${type}`, confluenceContent, { status: 'current' });
  }

  /** Pages or blog posts with their texts. */
  async bodies(type: ContentType, ids: readonly string[]): Promise<Map<string, ConfluenceContent>> {
    const query = { id: ids.join(','), status: 'current', ...withBody, limit: ids.length };
    const { results } = await this.client.get(`${v2}/${type}`, cursorList(confluenceContent), query);
    return new Map(results.map((content) => [content.id, content]));
  }

  async page(id: string): Promise<ConfluenceContent> {
    return this.client.get(`${v2}/pages/${encodeURIComponent(id)}`, confluenceContent);
  }

  /** A parent that is not a page: a folder, whiteboard, database or embed. */
  async container(type: string, id: string): Promise<z.infer<typeof confluenceFolder>> {
    return this.client.get(`${v2}/${type}s/${encodeURIComponent(id)}`, confluenceFolder);
  }

  /** All comments of the site, with replies. */
  comments(place: CommentPlace, { hasBody = false } = {}): AsyncGenerator<ConfluenceComment[]> {
    return this.pages(`${v2}/${place}`, confluenceComment, hasBody ? withBody : {});
  }

  /** The comments of a page or blog post with their texts, without replies. */
  commentsOf(type: ContentType, id: string, place: CommentPlace): AsyncGenerator<ConfluenceComment[]> {
    return this.pages(`${v2}/${type}/${encodeURIComponent(id)}/${place}`, confluenceComment, withBody);
  }

  /** The direct replies to a comment, with their texts. */
  async repliesTo(place: CommentPlace, parentCommentId: string): Promise<ConfluenceComment[]> {
    const replies: ConfluenceComment[] = [];
    const path = `${v2}/${place}/${encodeURIComponent(parentCommentId)}/children`;
    for await (const page of this.pages(path, confluenceComment, withBody))
      for (const reply of page) replies.push({ ...reply, parentCommentId });
    return replies;
  }

  /** The number of pages and blog posts in the search index, which may lag. */
  async count(spaceKeys: readonly string[]): Promise<number> {
    const cql = `type in (page, blogpost) and space in (${spaceKeys.map((key) => JSON.stringify(key)).join(', ')})`;
    return (await this.client.get(`${v1}/search`, z.object({ totalSize: z.number() }), { cql, limit: 1 })).totalSize;
  }

  spacePermissions(spaceId: string): AsyncGenerator<z.infer<typeof spacePermission>[]> {
    return this.pages(`${v2}/spaces/${encodeURIComponent(spaceId)}/permissions`, spacePermission);
  }

  roleAssignments(spaceId: string): AsyncGenerator<z.infer<typeof roleAssignment>[]> {
    return this.pages(`${v2}/spaces/${encodeURIComponent(spaceId)}/role-assignments`, roleAssignment);
  }

  spaceRoles(): AsyncGenerator<z.infer<typeof spaceRole>[]> {
    return this.pages(`${v2}/space-roles`, spaceRole);
  }

  async isAnonymous(spaceKey: string): Promise<boolean> {
    const path = `${v1}/space/${encodeURIComponent(spaceKey)}`;
    const { permissions } = await this.client.get(path, spacePermissionsV1, { expand: 'permissions' });
    return permissions.some(
      ({ anonymousAccess, operation }) =>
        anonymousAccess && operation.operation === 'read' && operation.targetType === 'space',
    );
  }

  /** The restrictions of pages, without those of their ancestors. Pages that the search index lacks are missing. */
  async restrictions(ids: readonly string[]): Promise<Map<string, ReadRestriction>> {
    const { results } = await this.client.get(`${v1}/content/search`, offsetList(searchedContent), {
      cql: `id in (${ids.join(', ')})`,
      expand: 'restrictions.read.restrictions.user,restrictions.read.restrictions.group',
      limit: ids.length,
    });
    return new Map(results.map(({ id, restrictions }) => [id, restrictions.read.restrictions]));
  }

  async restriction(id: string): Promise<ReadRestriction> {
    const path = `${v1}/content/${encodeURIComponent(id)}/restriction/byOperation/read`;
    const query = { expand: 'restrictions.user,restrictions.group' };
    return (await this.client.get(path, readRestriction, query)).restrictions;
  }

  async users(accountIds: readonly string[]): Promise<ConfluenceUser[]> {
    const schema = cursorList(confluenceUser);
    const request = { method: 'POST', path: `${v2}/users-bulk`, body: { accountIds }, isRead: true, schema } as const;
    return (await this.client.request(request)).body.results;
  }

  async *groupMembers(groupId: string): AsyncGenerator<string[]> {
    const path = `${v1}/group/${encodeURIComponent(groupId)}/membersByGroupId`;
    for (let start = 0; ;) {
      const page = await this.client.get(path, offsetList(groupMember), { start, limit: membersPerPage });
      yield page.results.map(({ accountId }) => accountId);
      if (!page._links?.next) return;
      if (!page.results.length) throw unreadable(`Confluence ended the list ${path} before its last page.`);
      start += page.results.length;
    }
  }

  /** Takes only the cursor from a link, so that a link never leads to another server. */
  private async *pages<T extends z.ZodType>(
    path: string,
    item: T,
    query: Record<string, string> = {},
  ): AsyncGenerator<z.infer<T>[]> {
    const schema = cursorList(item);
    const read = async (cursor: string | null) => {
      const page = await this.client.get(path, schema, { ...query, limit: perPage, cursor: cursor ?? undefined });
      return { items: page.results, next: cursorIn(page._links?.next) };
    };
    for await (const { items } of pagesByCursor(read)) yield items;
  }
}

function cursorIn(next: string | undefined): string | null {
  if (!next) return null;
  const cursor =
    URL.canParse(next, 'https://confluence') && new URL(next, 'https://confluence').searchParams.get('cursor');
  if (!cursor) throw unreadable('Confluence returned a link to the next page without a cursor.');
  return cursor;
}

const unreadable = (message: string) => new SourceRequestError('unreadable', message, null, true);
