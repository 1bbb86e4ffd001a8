import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceAccount } from '../../connections/knowledge-source.port.js';
import { concurrentReads } from '../atlassian/atlassian-site.js';
import { anonymousClient, dataCenterClient, dataCenterSite } from '../atlassian/data-center-site.js';
import { remember } from '../atlassian/remember.js';
import { slices } from '../atlassian/slices.js';
import { mapConcurrently } from '../source-kit/map-concurrently.js';
import type { SourceClient } from '../source-kit/source-client.js';
import { pagesByCursor } from '../source-kit/source-pages.js';
import { isSourceFault, SourceRequestError } from '../source-kit/source-request.error.js';
import type { CommentCensus } from './comment-census.js';
import {
  countQuery,
  expandedRestrictions,
  quoted,
  restrictionLists,
  unreadableList,
  type ConfluenceClient,
  type ConfluenceClientOptions,
  type NewDraft,
} from './confluence-client.js';
import {
  confluenceSpace,
  type ConfluenceComment,
  type ConfluenceContent,
  type ConfluenceSpace,
  type ContentType,
  type ReadRestriction,
} from './confluence-schemas.js';
import { DataCenterComments } from './data-center-comments.js';
import { DataCenterPermissions } from './data-center-permissions.js';
import {
  createdDraft,
  spaceComment,
  dataCenterPage,
  dataCenterPost,
  dataCenterRestriction,
  keyedUser,
  linkedList,
  member,
  mobileProfile,
  restrictedContent,
  signedInUser,
} from './data-center-schemas.js';
import type { SpaceReaders } from './space-readers.js';

const api = '/rest/api';
const perPage = 200;
const spacesPerQuery = 50;
/** Posts that are removed while a page is read move the others by at most this many. */
const overlap = 50;
const listed = 'version,history,space';
const withAncestors = `${listed},ancestors`;

/** Calls the REST API of Confluence Data Center. Groups have no id but their name, which cannot be changed. */
export class ConfluenceDataCenterClient implements ConfluenceClient {
  readonly address: string;
  readonly bodiesPerRead = 20;
  private readonly rest: SourceClient;
  private readonly permissions: DataCenterPermissions;
  private readonly keys = new Map<string, Promise<string | null>>();

  constructor(context: ConnectionContext, options: ConfluenceClientOptions = {}) {
    this.rest = dataCenterClient(context, { system: 'Confluence', ...options });
    this.address = dataCenterSite(context);
    const { groupsWithAccess } = context.settings;
    this.permissions = new DataCenterPermissions({
      rest: this.rest,
      anonymous: anonymousClient(context, { system: 'Confluence', isInteractive: true }),
      groupsWithAccess: Array.isArray(groupsWithAccess) ? groupsWithAccess.map(String) : [],
      keyOf: (username) => this.keyOf(username),
    });
  }

  async assertSignedIn(): Promise<void> {
    const { type } = await this.rest.get(`${api}/user/current`, signedInUser);
    if (type !== 'known')
      throw new SourceRequestError('unauthorized', 'Confluence does not accept the personal access token.', 401, true);
  }

  spaces(): AsyncGenerator<ConfluenceSpace[]> {
    return this.offsetPages(`${api}/space`, confluenceSpace, { status: 'current' });
  }

  async spaceByKey(key: string): Promise<ConfluenceSpace | null> {
    return this.rest.get(`${api}/space/${encodeURIComponent(key)}`, confluenceSpace).catch((error: unknown) => {
      if (isSourceFault(error, 'missing')) return null;
      throw error;
    });
  }

  spaceAddress({ key }: ConfluenceSpace): string {
    return `${this.address}/display/${encodeURIComponent(key)}`;
  }

  async *contents(space: ConfluenceSpace, type: ContentType): AsyncGenerator<ConfluenceContent[]> {
    yield* type === 'pages' ? this.pagesOf(space) : this.postsOf(space);
    // lists of a space that the account has lost can be empty, which would look like a deletion
    await this.rest.get(`${api}/space/${encodeURIComponent(space.key)}`, confluenceSpace);
  }

  async bodies(type: ContentType, ids: readonly string[]): Promise<Map<string, ConfluenceContent>> {
    const bodies = new Map<string, ConfluenceContent>();
    const readOne = (id: string) => this.content(type, id, ',body.storage').catch(nullIfMissing);
    for await (const content of mapConcurrently(ids, concurrentReads, readOne))
      if (content) bodies.set(content.id, content);
    return bodies;
  }

  page(id: string): Promise<ConfluenceContent> {
    return this.content('pages', id);
  }

  /** All parents are pages. */
  container(type: string): Promise<never> {
    return Promise.reject(unreadableList(`Confluence returned a parent of the unknown type ${type}.`));
  }

  async count(spaceKeys: readonly string[]): Promise<number> {
    const query = { cql: countQuery(spaceKeys), limit: 1 };
    return (await this.rest.get(`${api}/search`, z.object({ totalSize: z.number() }), query)).totalSize;
  }

  comments(spaces: readonly ConfluenceSpace[]): Promise<CommentCensus> {
    return new DataCenterComments((id) => this.commentsOf(id)).read(this.commentVersions(spaces));
  }

  /** Contents and comments name their authors. */
  names(): Promise<Map<string, string | null>> {
    return Promise.resolve(new Map());
  }

  spaceReaders(space: ConfluenceSpace): Promise<SpaceReaders> {
    return this.permissions.readersOf(space);
  }

  permissionsProblem(space: ConfluenceSpace): Promise<string | null> {
    return this.permissions.problemOf(space);
  }

  async restrictions(ids: readonly string[]): Promise<Map<string, ReadRestriction>> {
    const query = { cql: `id in (${ids.join(', ')})`, expand: expandedRestrictions, limit: ids.length };
    const { results } = await this.rest.get(`${api}/content/search`, linkedList(restrictedContent), query);
    return new Map(results.map(({ id, restrictions }) => [id, restrictions.read.restrictions]));
  }

  async restriction(id: string): Promise<ReadRestriction> {
    const path = `${api}/content/${encodeURIComponent(id)}/restriction/byOperation/read`;
    return (await this.rest.get(path, dataCenterRestriction, { expand: restrictionLists })).restrictions;
  }

  async *accounts(ids: readonly string[]): AsyncGenerator<SourceAccount[]> {
    const accountOf = (key: string) => this.account(key);
    for await (const account of mapConcurrently(ids, concurrentReads, accountOf)) if (account) yield [account];
  }

  async *groupMembers(groupId: string): AsyncGenerator<string[]> {
    const path = `${api}/group/${encodeURIComponent(groupId)}/member`;
    try {
      for await (const page of this.offsetPages(path, member)) yield page.map(({ userKey }) => userKey);
    } catch (error) {
      // web servers reject a path with an encoded slash; such a group gives no access
      if (!isSourceFault(error, 'refused') || !/[/\\]/.test(groupId)) throw error;
    }
  }

  async createDraft({ space, title, storage, parentId }: NewDraft): Promise<{ id: string; url: string }> {
    const body = {
      type: 'page',
      status: 'draft',
      title,
      space: { key: space.key },
      ...(parentId && { ancestors: [{ id: parentId }] }),
      body: { storage: { value: storage, representation: 'storage' } },
    };
    const request = { method: 'POST', path: `${api}/content`, body, schema: createdDraft } as const;
    const { id } = (await this.rest.request(request)).body;
    return { id, url: `${this.address}/pages/resumedraft.action?draftId=${id}` };
  }

  private content(type: ContentType, id: string, more = ''): Promise<ConfluenceContent> {
    const path = `${api}/content/${encodeURIComponent(id)}`;
    const query = { status: 'current', expand: withAncestors + more };
    return this.rest.get(path, type === 'pages' ? dataCenterPage : dataCenterPost, query);
  }

  private async *pagesOf({ key }: ConfluenceSpace): AsyncGenerator<ConfluenceContent[]> {
    const schema = linkedList(dataCenterPage);
    const query = { spaceKey: key, status: 'current', limit: perPage, expand: withAncestors };
    const read = async (cursor: string | null) => {
      const request = { ...query, cursor: cursor ?? undefined };
      const { results, _links } = await this.rest.get(`${api}/content/scan`, schema, request);
      return { items: results, next: parameterIn(_links?.next, 'cursor') };
    };
    for await (const { items } of pagesByCursor(read)) yield items;
  }

  /** By offset, because the list with cursors has only pages. */
  private async *postsOf({ key }: ConfluenceSpace): AsyncGenerator<ConfluenceContent[]> {
    const query = { spaceKey: key, type: 'blogpost', status: 'current', expand: listed };
    const seen = new Set<string>();
    for await (const posts of this.offsetPages(`${api}/content`, dataCenterPost, query, overlap)) {
      yield posts.filter(({ id }) => !seen.has(id));
      for (const { id } of posts) seen.add(id);
    }
  }

  private async *commentVersions(spaces: readonly ConfluenceSpace[]): AsyncGenerator<ConfluenceComment[]> {
    for (const part of slices(spaces, spacesPerQuery)) {
      const cql = `type = comment and space in (${quoted(part.map(({ key }) => key))}) order by created`;
      yield* this.offsetPages(`${api}/content/search`, spaceComment, { cql, expand: 'version,container' });
    }
  }

  /** All comments of a page or blog post, with replies. */
  private commentsOf(id: string): AsyncGenerator<ConfluenceComment[]> {
    const path = `${api}/content/${encodeURIComponent(id)}/child/comment`;
    return this.offsetPages(path, spaceComment, { depth: 'all', expand: 'version,ancestors,body.storage' });
  }

  /** Null: the account is deactivated, deleted, or of an unknown status. */
  private async account(key: string): Promise<SourceAccount | null> {
    const query = { key, expand: 'status' };
    const user = await this.rest.get(`${api}/user`, keyedUser, query).catch(nullIfMissing);
    if (user?.status.toLowerCase() !== 'current') return null;
    const email = user.email || (await this.emailOf(user.username));
    return { id: key, name: user.displayName || user.username, ...(email && { email }) };
  }

  /** Not part of the documented API, which returns no address. */
  private async emailOf(username: string): Promise<string | undefined> {
    const path = `/rest/mobile/1.0/profile/${encodeURIComponent(username)}`;
    const profile = await this.rest.get(path, mobileProfile).catch((error: unknown) => {
      if (isSourceFault(error, 'missing', 'forbidden', 'refused', 'unreadable')) return null;
      throw error;
    });
    return profile?.email || undefined;
  }

  private keyOf(username: string): Promise<string | null> {
    return remember(this.keys, username, async () => {
      const user = await this.rest.get(`${api}/user`, keyedUser, { username }).catch(nullIfMissing);
      return user?.userKey ?? null;
    });
  }

  /** Takes only the offset from a link, so that a link never leads to another server. */
  private async *offsetPages<T extends z.ZodType>(
    path: string,
    item: T,
    query: Record<string, string | number> = {},
    repeated = 0,
  ): AsyncGenerator<z.infer<T>[]> {
    const schema = linkedList(item);
    for (let start = 0; ;) {
      const { results, _links } = await this.rest.get(path, schema, { limit: perPage, ...query, start });
      yield results;
      const next = parameterIn(_links?.next, 'start');
      if (next === null) return;
      // at most half of a page, because a server can return smaller pages than requested
      const reached = Number(next) - Math.min(repeated, Math.floor((Number(next) - start) / 2));
      if (!(reached > start)) throw unreadableList(`Confluence ended the list ${path} before its last page.`);
      start = reached;
    }
  }
}

function parameterIn(next: string | undefined, name: string): string | null {
  if (!next) return null;
  const value = URL.canParse(next, 'https://confluence') && new URL(next, 'https://confluence').searchParams.get(name);
  if (!value) throw unreadableList(`Confluence returned a link to the next page without “${name}”.`);
  return value;
}

function nullIfMissing(error: unknown): null {
  if (isSourceFault(error, 'missing', 'forbidden')) return null;
  throw error;
}
