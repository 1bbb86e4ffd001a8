import { createHmac, randomUUID } from 'node:crypto';
import { FixedWindow } from '../fixed-window.ts';
import { HttpSimulator, SimulatedRefusal } from '../http-simulator.ts';
import type { SimulatedReply, SimulatedRequest } from '../http-simulator.ts';
import type { SignedWebhook } from '../webhook-sender.ts';
import { NotionWorkspace, richText } from './notion-workspace.ts';
import type { NotionEvent, NotionObject, StoredBlock, StoredNotionItem } from './notion-workspace.ts';

export interface NotionSimulatorOptions {
  port?: number;
  /** Requests in a second. Default: no limit. */
  limit?: number;
}

interface Capabilities {
  content: boolean;
  comments: boolean;
  users: boolean;
}

const supportedVersions = ['2025-09-03'];

/** Notion's API for one internal integration in one workspace. */
export class NotionSimulator {
  readonly http = new HttpSimulator();
  readonly workspace = new NotionWorkspace();
  readonly capabilities: Capabilities = { content: true, comments: true, users: true };
  isTokenRevoked = false;
  /** The highest number of results of a list. Then it ends as incomplete. */
  maxResults = Infinity;
  /** Signs the webhooks. Notion sends it when a subscription is created. */
  readonly verificationToken = `secret_${randomUUID().replaceAll('-', '')}`;
  /** Every event, also without a subscriber. */
  readonly deliveries: SignedWebhook[] = [];
  token = `ntn_${randomUUID().replaceAll('-', '')}`;
  private readonly window: FixedWindow | undefined;
  private cursors = new Map<string, number>();

  private constructor({ limit }: NotionSimulatorOptions) {
    if (limit !== undefined) this.window = new FixedWindow(limit, 1000);
    this.workspace.onEvent = (event) => this.publish(event);
    this.http.unknownRoute = problem(400, 'invalid_request_url', 'Invalid request URL.');
    this.http.before = (request) => this.refusal(request);
    this.http
      .route('GET', '/v1/users/me', () => ({ body: this.bot() }))
      .route('GET', '/v1/users', (request) => this.users(request))
      .route('POST', '/v1/search', (request) => this.search(request))
      .route('GET', '/v1/pages/:id', ({ params }) => ({ body: this.item('page', params.id) }))
      .route('GET', '/v1/data_sources/:id', ({ params }) => ({ body: this.item('data_source', params.id) }))
      .route('POST', '/v1/data_sources/:id/query', (request) => this.rows(request))
      .route('GET', '/v1/blocks/:id', ({ params }) => this.block(params.id))
      .route('GET', '/v1/blocks/:id/children', (request) => this.children(request))
      .route('GET', '/v1/comments', (request) => this.comments(request));
  }

  static async start(options: NotionSimulatorOptions = {}): Promise<NotionSimulator> {
    const notion = new NotionSimulator(options);
    await notion.http.start(options.port);
    return notion;
  }

  get url(): string {
    return this.http.url;
  }

  stop(): Promise<void> {
    return this.http.stop();
  }

  /** Creates a subscription: sends the verification token and later events. */
  subscribe(url: string): void {
    this.http.webhooks.subscribe(url);
    this.http.webhooks.send(() => this.delivery({ verification_token: this.verificationToken }));
  }

  /** A webhook as Notion signs it. */
  delivery(payload: object, token = this.verificationToken): SignedWebhook {
    const body = JSON.stringify(payload);
    const signature = `sha256=${createHmac('sha256', token).update(body).digest('hex')}`;
    return { headers: { 'content-type': 'application/json', 'x-notion-signature': signature }, body };
  }

  private publish(event: NotionEvent): void {
    const delivery = this.delivery({
      id: randomUUID(),
      timestamp: new Date().toISOString(),
      workspace_id: randomUUID(),
      workspace_name: this.workspace.name,
      subscription_id: randomUUID(),
      integration_id: randomUUID(),
      authors: [],
      attempt_number: 1,
      api_version: supportedVersions[0],
      ...event,
    });
    this.deliveries.push(delivery);
    this.http.webhooks.send(() => delivery);
  }

  /** All cursors so far are rejected from now on. */
  expireCursors(): void {
    this.cursors = new Map();
  }

  private refusal({ headers, path }: SimulatedRequest): SimulatedReply | undefined {
    if (headers.authorization !== `Bearer ${this.token}` || this.isTokenRevoked)
      return problem(401, 'unauthorized', 'API token is invalid.');
    if (!headers['notion-version'])
      return problem(400, 'missing_version', 'Notion-Version header failed validation: it should be defined.');
    if (!supportedVersions.includes(String(headers['notion-version'])))
      return problem(400, 'validation_error', 'Notion-Version header failed validation.');
    if (this.window && !this.window.take())
      return {
        ...problem(429, 'rate_limited', 'You have been rate limited. Please try again in a few minutes.'),
        headers: { 'retry-after': '1' },
      };
    if (!this.capabilities.content && !path.startsWith('/v1/users')) return restricted;
    return undefined;
  }

  private bot(): NotionObject {
    return {
      object: 'user',
      id: 'b0b0b0b0-0000-4000-8000-000000000000',
      type: 'bot',
      name: 'Countersign',
      bot: { owner: { type: 'workspace', workspace: true }, workspace_name: this.workspace.name },
    };
  }

  private users({ query }: SimulatedRequest): SimulatedReply {
    if (!this.capabilities.users) return restricted;
    const people = [...this.workspace.people.values()].filter(({ isGuest }) => !isGuest);
    return this.list(
      people.map(({ id, name }) => ({ object: 'user', id, type: 'person', name, person: {} })),
      Object.fromEntries(query),
    );
  }

  private search({ body }: SimulatedRequest): SimulatedReply {
    const { filter, sort, query, ...place } = (body ?? {}) as {
      filter?: { property: string; value: string };
      sort?: { timestamp: string; direction: string };
      query?: string;
    } & NotionObject;
    if (filter && (filter.property !== 'object' || !['page', 'data_source'].includes(filter.value)))
      return problem(400, 'validation_error', 'body.filter should be a valid filter.');
    const order = sort?.direction === 'ascending' ? 1 : -1;
    const found = this.workspace
      .visible()
      .filter((item) => !this.workspace.hiddenFromSearch.has(item.id))
      .filter(({ object, title }) => (!filter || object === filter.value) && (!query || title.includes(query)))
      .sort((a, b) => order * (a.editedAt - b.editedAt) || a.id.localeCompare(b.id));
    return this.list(
      found.map((item) => this.payload(item)),
      place,
    );
  }

  private rows({ params, body }: SimulatedRequest): SimulatedReply {
    if (!this.workspace.find('data_source', params.id)) return missing('data source', params.id);
    const rows = this.workspace.visible().filter(({ parent }) => parent.data_source_id === params.id);
    return this.list(
      rows.map((row) => this.payload(row)),
      (body ?? {}) as NotionObject,
    );
  }

  private item(object: 'page' | 'data_source', id: string): NotionObject {
    const item = this.workspace.find(object, id);
    if (!item) throw new SimulatedRefusal(missing(object, id));
    return this.payload(item);
  }

  private block(id: string): SimulatedReply {
    const block = this.workspace.findBlock(id);
    return block ? { body: this.blockPayload(block) } : missing('block', id);
  }

  private children({ params, query }: SimulatedRequest): SimulatedReply {
    const blocks = this.workspace.children(params.id);
    if (!blocks) return missing('block', params.id);
    return this.list(
      blocks.map((block) => this.blockPayload(block)),
      Object.fromEntries(query),
    );
  }

  private comments({ query }: SimulatedRequest): SimulatedReply {
    if (!this.capabilities.comments) return restricted;
    const page = query.get('block_id') ?? '';
    if (!this.workspace.find('page', page)) return missing('block', page);
    return this.list(this.workspace.comments(page), Object.fromEntries(query));
  }

  private list(all: NotionObject[], { page_size: size = 100, start_cursor: cursor }: NotionObject): SimulatedReply {
    const count = Number(size);
    if (!Number.isInteger(count) || count < 1 || count > 100)
      return problem(400, 'validation_error', 'page_size should be at most 100.');
    const from = cursor === undefined ? 0 : this.cursors.get(String(cursor));
    if (from === undefined) return problem(400, 'validation_error', 'The start_cursor provided is invalid.');
    const end = Math.min(from + count, all.length, this.maxResults);
    const hasMore = end < Math.min(all.length, this.maxResults);
    const next = hasMore ? randomUUID() : null;
    if (next) this.cursors.set(next, end);
    const isCutOff = !hasMore && end < all.length;
    return {
      body: {
        object: 'list',
        results: all.slice(from, end),
        has_more: hasMore,
        next_cursor: next,
        ...(isCutOff && {
          request_status: { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' },
        }),
        request_id: randomUUID(),
      },
    };
  }

  private payload(item: StoredNotionItem): NotionObject {
    const { id, object, title, properties, editedAt, author } = item;
    const { above, ...parent } = item.parent;
    const isInTrash = this.workspace.isInTrash(item);
    const titled = [richText(title)];
    return {
      object,
      id,
      parent,
      ...(object === 'data_source' && {
        database_parent: above,
        title: titled,
        description: item.description ? [richText(item.description)] : [],
      }),
      properties:
        object === 'page'
          ? { Name: { id: 'title', type: 'title', title: titled }, ...properties }
          : { Name: { id: 'title', type: 'title', title: {} }, ...properties },
      created_by: { object: 'user', id: author },
      created_time: '2026-01-05T08:00:00.000Z',
      // the API has no seconds
      last_edited_time: new Date(Math.floor(editedAt / 60_000) * 60_000).toISOString(),
      url: `https://www.notion.so/${id.replaceAll('-', '')}`,
      archived: isInTrash,
      in_trash: isInTrash,
    };
  }

  private blockPayload({ id, parent, type, content }: StoredBlock): NotionObject {
    const hasChildren = this.workspace.hasChildren(id) || Boolean(content.synced_from);
    return { object: 'block', id, parent, type, has_children: hasChildren, in_trash: false, [type]: content };
  }
}

const problem = (status: number, code: string, message: string): SimulatedReply => ({
  status,
  body: { object: 'error', status, code, message, request_id: randomUUID() },
});
const restricted = problem(403, 'restricted_resource', 'Insufficient permissions for this endpoint.');
const missing = (object: string, id: string): SimulatedReply =>
  problem(
    404,
    'object_not_found',
    `Could not find ${object} with ID: ${id}. Make sure the relevant pages and databases are shared with your integration.`,
  );
