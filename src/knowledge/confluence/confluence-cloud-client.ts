import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceAccount } from '../../connections/knowledge-source.port.js';
import { atlassianClient, concurrentReads, siteOf } from '../atlassian/atlassian-site.js';
import { slices } from '../atlassian/slices.js';
import { mapConcurrently } from '../source-kit/map-concurrently.js';
import type { SourceClient } from '../source-kit/source-client.js';
import { pagesByCursor } from '../source-kit/source-pages.js';
import { isSourceFault, SourceRequestError } from '../source-kit/source-request.error.js';
import { CloudComments, type CommentPlace } from './cloud-comments.js';
import type { CommentCensus } from './comment-census.js';
import {
  countQuery,
  expandedRestrictions,
  restrictionLists,
  unreadableList,
  type ConfluenceClient,
  type ConfluenceClientOptions,
  type NewDraft,
} from './confluence-client.js';
import {
  confluenceComment,
  confluenceContent,
  confluenceFolder,
  confluenceSpace,
  confluenceUser,
  createdPage,
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
  type ContentType,
  type ReadRestriction,
} from './confluence-schemas.js';
import { SpacePermissions, type SpaceReaders } from './space-readers.js';

const v1 = '/wiki/rest/api';
const v2 = '/wiki/api/v2';
const perPage = 250;
const usersPerRead = 250;
const membersPerPage = 200;

const withBody = { 'body-format': 'storage' };

/** Calls the REST API of Confluence Cloud: version 2, or version 1 where version 2 has no endpoint. */
export class ConfluenceCloudClient implements ConfluenceClient {
  readonly rest: SourceClient;
  readonly address: string;
  readonly bodiesPerRead = 25;
  private readonly permissions = new SpacePermissions(this);

  constructor(context: ConnectionContext, options: ConfluenceClientOptions = {}) {
    this.rest = atlassianClient(context, { system: 'Confluence', ...options });
    this.address = `${siteOf(context)}/wiki`;
  }

  async assertSignedIn(): Promise<void> {
    const { type } = await this.rest.get(`${v1}/user/current`, currentUser);
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
    const { results } = await this.rest.get(`${v2}/spaces`, cursorList(confluenceSpace), { keys: key, limit: 1 });
    return results[0] ?? null;
  }

  spaceAddress({ key }: ConfluenceSpace): string {
    return `${this.address}/spaces/${encodeURIComponent(key)}`;
  }

  contents({ id }: ConfluenceSpace, type: ContentType): AsyncGenerator<ConfluenceContent[]> {
    return this.pages(`${v2}/spaces/${encodeURIComponent(id)}/${type}`, confluenceContent, { status: 'current' });
  }

  async bodies(type: ContentType, ids: readonly string[]): Promise<Map<string, ConfluenceContent>> {
    const query = { id: ids.join(','), status: 'current', ...withBody, limit: ids.length };
    const { results } = await this.rest.get(`${v2}/${type}`, cursorList(confluenceContent), query);
    return new Map(results.map((content) => [content.id, content]));
  }

  async page(id: string): Promise<ConfluenceContent> {
    return this.rest.get(`${v2}/pages/${encodeURIComponent(id)}`, confluenceContent);
  }

  async container(type: string, id: string): Promise<z.infer<typeof confluenceFolder>> {
    return this.rest.get(`${v2}/${type}s/${encodeURIComponent(id)}`, confluenceFolder);
  }

  siteComments(place: CommentPlace, { hasBody = false } = {}): AsyncGenerator<ConfluenceComment[]> {
    return this.pages(`${v2}/${place}`, confluenceComment, hasBody ? withBody : {});
  }

  commentsOf(type: ContentType, id: string, place: CommentPlace): AsyncGenerator<ConfluenceComment[]> {
    return this.pages(`${v2}/${type}/${encodeURIComponent(id)}/${place}`, confluenceComment, withBody);
  }

  async repliesTo(place: CommentPlace, parentCommentId: string): Promise<ConfluenceComment[]> {
    const replies: ConfluenceComment[] = [];
    const path = `${v2}/${place}/${encodeURIComponent(parentCommentId)}/children`;
    for await (const page of this.pages(path, confluenceComment, withBody))
      for (const reply of page) replies.push({ ...reply, parentCommentId });
    return replies;
  }

  async count(spaceKeys: readonly string[]): Promise<number> {
    const cql = countQuery(spaceKeys);
    return (await this.rest.get(`${v1}/search`, z.object({ totalSize: z.number() }), { cql, limit: 1 })).totalSize;
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
    const { permissions } = await this.rest.get(path, spacePermissionsV1, { expand: 'permissions' });
    return permissions.some(
      ({ anonymousAccess, operation }) =>
        anonymousAccess && operation.operation === 'read' && operation.targetType === 'space',
    );
  }

  async restrictions(ids: readonly string[]): Promise<Map<string, ReadRestriction>> {
    const { results } = await this.rest.get(`${v1}/content/search`, offsetList(searchedContent), {
      cql: `id in (${ids.join(', ')})`,
      expand: expandedRestrictions,
      limit: ids.length,
    });
    return new Map(results.map(({ id, restrictions }) => [id, restrictions.read.restrictions]));
  }

  async restriction(id: string): Promise<ReadRestriction> {
    const path = `${v1}/content/${encodeURIComponent(id)}/restriction/byOperation/read`;
    const query = { expand: restrictionLists };
    return (await this.rest.get(path, readRestriction, query)).restrictions;
  }

  async names(accountIds: readonly string[]): Promise<Map<string, string | null>> {
    const names = new Map<string, string | null>(accountIds.map((id) => [id, null]));
    for (const batch of slices(accountIds, usersPerRead))
      for (const { accountId, displayName, publicName } of await this.users(batch))
        names.set(accountId, displayName || publicName || null);
    return names;
  }

  async *accounts(ids: readonly string[]): AsyncGenerator<SourceAccount[]> {
    const batches = slices(ids, usersPerRead);
    for await (const users of mapConcurrently(batches, concurrentReads, (batch) => this.users(batch)))
      yield users
        .filter(
          ({ accountType, accountStatus }) => accountType === 'atlassian' && (accountStatus ?? 'active') === 'active',
        )
        .map(({ accountId, displayName, publicName, email }) => {
          return { id: accountId, name: displayName || publicName || accountId, ...(email && { email }) };
        });
  }

  async *groupMembers(groupId: string): AsyncGenerator<string[]> {
    const path = `${v1}/group/${encodeURIComponent(groupId)}/membersByGroupId`;
    for (let start = 0; ;) {
      const page = await this.rest.get(path, offsetList(groupMember), { start, limit: membersPerPage });
      yield page.results.map(({ accountId }) => accountId);
      if (!page._links?.next) return;
      if (!page.results.length) throw unreadableList(`Confluence ended the list ${path} before its last page.`);
      start += page.results.length;
    }
  }

  comments(): Promise<CommentCensus> {
    return new CloudComments(this).read();
  }

  spaceReaders(space: ConfluenceSpace): Promise<SpaceReaders> {
    return this.permissions.readersOf(space);
  }

  async permissionsProblem({ id, key }: ConfluenceSpace): Promise<string | null> {
    try {
      await this.spacePermissions(id).next();
      return null;
    } catch (error) {
      if (!isSourceFault(error, 'forbidden', 'missing')) throw error;
      return `The account cannot read the permissions of the space ${key}, so no one can find its pages.`;
    }
  }

  async createDraft({ space, title, storage, parentId }: NewDraft): Promise<{ id: string; url: string }> {
    const body = {
      spaceId: space.id,
      status: 'draft',
      title,
      ...(parentId && { parentId }),
      body: { representation: 'storage', value: storage },
    };
    const request = { method: 'POST', path: `${v2}/pages`, body, schema: createdPage } as const;
    const { id, _links } = (await this.rest.request(request)).body;
    return { id, url: this.address + (_links.editui || _links.webui || `/pages/viewpage.action?pageId=${id}`) };
  }

  private async users(accountIds: readonly string[]): Promise<ConfluenceUser[]> {
    const schema = cursorList(confluenceUser);
    const request = { method: 'POST', path: `${v2}/users-bulk`, body: { accountIds }, isRead: true, schema } as const;
    return (await this.rest.request(request)).body.results;
  }

  /** Takes only the cursor from a link, so that a link never leads to another server. */
  private async *pages<T extends z.ZodType>(
    path: string,
    item: T,
    query: Record<string, string> = {},
  ): AsyncGenerator<z.infer<T>[]> {
    const schema = cursorList(item);
    const read = async (cursor: string | null) => {
      const page = await this.rest.get(path, schema, { ...query, limit: perPage, cursor: cursor ?? undefined });
      return { items: page.results, next: cursorIn(page._links?.next) };
    };
    for await (const { items } of pagesByCursor(read)) yield items;
  }
}

function cursorIn(next: string | undefined): string | null {
  if (!next) return null;
  const cursor =
    URL.canParse(next, 'https://confluence') && new URL(next, 'https://confluence').searchParams.get('cursor');
  if (!cursor) throw unreadableList('Confluence returned a link to the next page without a cursor.');
  return cursor;
}
