import { createHmac } from 'node:crypto';
import { SimulatedRefusal } from '../http-simulator.ts';
import type { SimulatedReply, SimulatedRequest } from '../http-simulator.ts';
import { AtlassianSimulator } from '../atlassian/atlassian-simulator.ts';
import { DataCenterDirectory } from '../atlassian/data-center-directory.ts';
import { TokenBuckets } from '../atlassian/token-buckets.ts';
import type { TokenBucketOptions } from '../atlassian/token-buckets.ts';
import { ConfluenceSite } from '../confluence/confluence-site.ts';
import type { SimulatedContent, SimulatedSpace, SimulatedThreadComment } from '../confluence/confluence-site.ts';
import type { SignedWebhook } from '../webhook-sender.ts';
import { commentPayload, contentPayload, restrictionPayload, subjectPayload, userPayload } from './payloads.ts';

export interface ConfluenceDataCenterSimulatorOptions {
  /** With a `DataCenterDirectory`. */
  site?: ConfluenceSite;
  port?: number;
  /** The context path. */
  basePath?: string;
  limits?: TokenBucketOptions;
  /** Accounts with the global permission “Confluence Administrator”. */
  administrators?: string[];
  /** False: a version before 9.1, with permissions only in the JSON-RPC API. */
  hasPermissionApi?: boolean;
  mostPerPage?: number;
}

const api = '/rest/api';

/** Serves the REST API of Confluence Data Center. See README.md in the folder above. */
export class ConfluenceDataCenterSimulator extends AtlassianSimulator<ConfluenceSite, TokenBuckets> {
  readonly webhookSecret = 'the secret of the webhook';
  readonly administrators: Set<string>;
  /** Whether the JSON-RPC API is enabled. */
  hasRemoteApi = true;
  /** Whether the API for the mobile app is enabled, which returns addresses. */
  hasMobileApi = true;
  private readonly directory: DataCenterDirectory;
  private readonly basePath: string;
  private readonly mostPerPage: number;

  private constructor(options: ConfluenceDataCenterSimulatorOptions) {
    const { site = new ConfluenceSite(new DataCenterDirectory()), limits, basePath = '' } = options;
    super({
      site,
      limits: new TokenBuckets(limits),
      prefix: basePath,
      unauthenticated: { statusCode: 401, message: 'Client must be authenticated to access this resource.' },
      unknownRoute: { statusCode: 404, message: 'null for uri' },
    });
    this.directory = site.directory as DataCenterDirectory;
    this.administrators = new Set(options.administrators);
    this.basePath = basePath;
    this.mostPerPage = options.mostPerPage ?? 200;
    site.onEvent = (event, payload) => this.http.webhooks.send(() => this.webhook(event, payload));
    this.addContents();
    this.addComments();
    this.addPeople();
    if (options.hasPermissionApi ?? true) this.addPermissions();
    else this.addRemoteApi();
  }

  static start(options: ConfluenceDataCenterSimulatorOptions = {}): Promise<ConfluenceDataCenterSimulator> {
    return new ConfluenceDataCenterSimulator(options).listen(options.port);
  }

  /** A delivery of a webhook that an administrator created, signed with its secret. */
  webhook(event: string, payload: object, secret = this.webhookSecret): SignedWebhook & { body: Buffer } {
    const body = Buffer.from(JSON.stringify({ timestamp: Date.now(), event, userKey: '', ...payload }));
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return {
      headers: { 'content-type': 'application/json', 'x-event-key': event, 'x-hub-signature': `sha256=${signature}` },
      body,
    };
  }

  /** Anonymous visitors see spaces that permit it, if the site does. An invalid token is rejected. */
  protected override anonymous({ headers, path, method }: SimulatedRequest): SimulatedReply | undefined {
    if (headers.authorization || !this.site.allowsAnonymous || method !== 'GET') return undefined;
    const key = /\/rest\/api\/space\/([^/]+)$/.exec(path)?.[1];
    const space = [...this.site.spaces.values()].find((one) => one.key === key && one.isAnonymous && !one.isArchived);
    return space ? { body: spacePayload(space) } : { status: 404, body: notFound().reply.body };
  }

  private addContents(): void {
    const { site } = this;
    this.get(`${api}/space`, (request, account) => {
      const spaces = [...site.spaces.values()].filter((space) => site.canSeeSpace(account, space));
      return this.page(spaces.map(spacePayload), request);
    });
    this.get(`${api}/space/:key`, (request, account) => spacePayload(this.space(request, account)));
    this.get(`${api}/content/scan`, (request, account) => this.scan(request, account));
    this.get(`${api}/content/search`, (request, account) => this.search(request, account));
    this.get(`${api}/search`, ({ query }, account) => {
      const keys = [...(query.get('cql') ?? '').matchAll(/"([^"]+)"/g)].map(([, key]) => key);
      const found = this.visible(account, ({ spaceId }) => keys.includes(site.spaces.get(spaceId)!.key));
      return { results: [], start: 0, limit: 1, size: 0, totalSize: found.length };
    });
    this.get(`${api}/content`, (request, account) => {
      const { query } = request;
      const found = this.visible(
        account,
        ({ type, spaceId }) => type === query.get('type') && site.spaces.get(spaceId)!.key === query.get('spaceKey'),
      );
      return this.page(
        found.map((content) => contentPayload(site, content, expandedIn(request))),
        request,
      );
    });
    this.get(`${api}/content/:id`, (request, account) =>
      contentPayload(site, this.content(request, account), expandedIn(request)),
    );
    this.get(`${api}/content/:id/restriction/byOperation/read`, (request, account) =>
      restrictionPayload(site, this.content(request, account)),
    );
    this.on('POST', `${api}/content`, ({ body }, account) => {
      const {
        status,
        title,
        space: { key },
        ancestors = [],
        body: text,
      } = body as NewContent;
      const space = [...site.spaces.values()].find((one) => one.key === key);
      if (!space || !site.canSeeSpace(account, space)) throw notFound();
      const parentId = ancestors.at(-1)?.id ?? null;
      const draft = site.addContent(space, title, { parentId, authorId: account, storage: text.storage.value });
      draft.status = status;
      draft.readers = [{ type: 'user', id: account }];
      return { body: contentPayload(site, draft, new Set(['version', 'space'])) };
    });
  }

  private addComments(): void {
    this.get(`${api}/content/:id/child/comment`, (request, account) => {
      const { id } = this.content(request, account);
      const isAll = request.query.get('depth') === 'all';
      const found = this.comments(
        account,
        ({ contentId, parentCommentId }) => contentId === id && (isAll || !parentCommentId),
      );
      return this.page(
        found.map((comment) => commentPayload(this.site, comment, expandedIn(request))),
        request,
      );
    });
  }

  private addPeople(): void {
    const { directory } = this;
    this.get(`${api}/user/current`, (_, account) => userPayload(directory.person(account)!));
    this.get(`${api}/user`, (request) => {
      const person =
        directory.person(request.query.get('key') ?? '') ?? directory.byUsername(request.query.get('username'));
      if (!person) throw notFound();
      return userPayload(person, expandedIn(request).has('status'));
    });
    this.get(`${api}/group/:name/member`, (request, account) => {
      this.requireAdministrator(account);
      const group = directory.groups.get(request.params.name);
      if (!group) throw notFound();
      const members = [...group.members].map((id) => userPayload(directory.person(id)!));
      return this.page(members, request);
    });
    this.get('/rest/mobile/1.0/profile/:username', ({ params }) => {
      const person = this.hasMobileApi ? directory.byUsername(params.username) : undefined;
      if (!person) throw notFound();
      const { username: userName, displayName: fullName, email, showsEmail } = person;
      return { userName, fullName, ...(showsEmail && { email }) };
    });
  }

  private addPermissions(): void {
    const { site } = this;
    this.get(`${api}/space/:key/permissions`, (request, account) => {
      const space = this.space(request, account);
      if (space.hidesPermissions) throw refusal(403, 'Not permitted');
      this.requireAdministrator(account);
      return space.permissions.map(({ operation, principal }) => {
        const [operationKey, targetType] = operation.split('/');
        const subject = subjectPayload(principal);
        return { operation: { operationKey, targetType }, subject, spaceKey: space.key, spaceId: Number(space.id) };
      });
    });
    this.get(`${api}/permissions`, (_, account) => {
      this.requireAdministrator(account);
      const use = { operationKey: 'use', targetType: 'application' };
      const subjects = [
        ...(site.users ?? []).map(subjectPayload),
        ...(site.allowsAnonymous ? [{ type: 'anonymous' }] : []),
      ];
      return [
        ...subjects.map((subject) => ({ operation: use, subject })),
        ...[...this.administrators].map((userKey) => ({
          operation: { operationKey: 'administer', targetType: 'application' },
          subject: { type: 'user', userKey },
        })),
      ];
    });
  }

  /** The API for permissions before version 9.1. Errors have status 200. */
  private addRemoteApi(): void {
    this.on('POST', '/rpc/json-rpc/confluenceservice-v2', ({ body }, account) => {
      if (!this.hasRemoteApi) return { status: 401, body: { message: 'Remote API is disabled' } };
      const { method, params } = body as { method: string; params: string[] };
      const space = [...this.site.spaces.values()].find(({ key }) => key === params[0]);
      if (method !== 'getSpacePermissionSets' || !space || !this.administrators.has(account) || space.hidesPermissions)
        return { body: { jsonrpc: '2.0', id: 1, error: { code: 500, message: 'NotPermittedException' } } };
      const views = space.permissions.filter(({ operation }) => operation === 'read/space');
      const spacePermissions = views.map(({ principal: { type, id } }) => ({
        type: 'VIEWSPACE',
        userName: type === 'user' ? (this.directory.person(id)?.username ?? id) : null,
        groupName: type === 'group' ? id : null,
      }));
      const edits = space.permissions.filter(({ operation }) => operation === 'create/page');
      const others = edits.map(({ principal: { id } }) => ({ type: 'EDITSPACE', userName: null, groupName: id }));
      const result = [
        { type: 'VIEWSPACE', spacePermissions },
        { type: 'EDITSPACE', spacePermissions: others },
      ];
      return { body: { jsonrpc: '2.0', id: 1, result } };
    });
  }

  /** Only pages, in the order of their ids, from a cursor. */
  private scan(request: SimulatedRequest, account: string): object {
    const { query } = request;
    const after = Number(query.get('cursor') ?? 0);
    const key = query.get('spaceKey');
    const limit = Math.min(Number(query.get('limit') ?? 25), this.mostPerPage);
    const pages = this.visible(
      account,
      ({ id, type, spaceId }) => type === 'page' && Number(id) > after && this.site.spaces.get(spaceId)!.key === key,
    ).sort((a, b) => Number(a.id) - Number(b.id));
    const results = pages.slice(0, limit);
    const link = `${this.basePath}${request.path}?spaceKey=${key}&limit=${limit}&cursor=${results.at(-1)?.id}`;
    return {
      results: results.map((content) => contentPayload(this.site, content, expandedIn(request))),
      size: results.length,
      limit,
      _links: { base: this.url, ...(pages.length > limit && { next: link }) },
    };
  }

  /** The search index, which may lag. */
  private search(request: SimulatedRequest, account: string): object {
    const { site } = this;
    const cql = request.query.get('cql') ?? '';
    const expand = expandedIn(request);
    const ids = /^id in \(([\d, ]+)\)$/.exec(cql)?.[1].split(', ');
    if (ids) {
      const found = this.visible(account, ({ id }) => ids.includes(id) && !site.unindexed.has(id));
      return this.page(
        found.map((content) => contentPayload(site, content, expand)),
        request,
      );
    }
    const spaces = /^type = comment and space in \(("[^()]+")\) order by created$/.exec(cql)?.[1].split(', ');
    if (!spaces) throw refusal(400, 'Could not parse cql');
    const found = this.comments(account, ({ id, contentId }) => {
      const { spaceId } = site.contents.get(contentId)!;
      return spaces.includes(`"${site.spaces.get(spaceId)!.key}"`) && !site.unindexed.has(id);
    });
    return this.page(
      found.map((comment) => commentPayload(site, comment, expand)),
      request,
    );
  }

  private visible(account: string, matches: (content: SimulatedContent) => boolean): SimulatedContent[] {
    return [...this.site.contents.values()].filter(
      (content) => content.status === 'current' && matches(content) && this.site.canSee(account, content),
    );
  }

  private comments(account: string, matches: (comment: SimulatedThreadComment) => boolean): SimulatedThreadComment[] {
    return [...this.site.comments.values()].filter((comment) => {
      const content = this.site.contents.get(comment.contentId)!;
      return matches(comment) && content.status === 'current' && this.site.canSee(account, content);
    });
  }

  private space({ params }: SimulatedRequest, account: string): SimulatedSpace {
    const space = [...this.site.spaces.values()].find(({ key }) => key === params.key);
    if (!space || !this.site.canSeeSpace(account, space)) throw notFound();
    return space;
  }

  private content({ params }: SimulatedRequest, account: string): SimulatedContent {
    const content = this.site.contents.get(params.id);
    if (!content || content.status !== 'current' || !this.site.canSee(account, content)) throw notFound();
    return content;
  }

  /** Pages by `start`, with a link to the next one. */
  private page(all: readonly object[], { query, path }: SimulatedRequest): object {
    const start = Number(query.get('start') ?? 0);
    const limit = Math.min(Number(query.get('limit') ?? 25), this.mostPerPage);
    const results = all.slice(start, start + limit);
    const next = start + limit < all.length && { next: `${path}?limit=${limit}&start=${start + limit}` };
    return { results, start, limit, size: results.length, _links: { base: this.url, ...next } };
  }

  private requireAdministrator(account: string): void {
    if (!this.administrators.has(account)) throw refusal(403, 'The caller must be an administrator.');
  }
}

interface NewContent {
  status: 'current' | 'draft';
  title: string;
  space: { key: string };
  ancestors?: { id: string }[];
  body: { storage: { value: string } };
}

const spacePayload = ({ id, key, name, type }: SimulatedSpace) => ({
  id: Number(id),
  key,
  name,
  type,
  status: 'CURRENT',
});

const expandedIn = ({ query }: SimulatedRequest): Set<string> => new Set((query.get('expand') ?? '').split(','));

const refusal = (statusCode: number, message: string): SimulatedRefusal =>
  new SimulatedRefusal({ status: statusCode, body: { statusCode, message, reason: 'Error' } });
const notFound = (): SimulatedRefusal => refusal(404, 'No content found');
