import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Connector } from '../../src/connections/connector-registry.service.js';
import type {
  DocumentsContext,
  ReaderSet,
  RosterEntry,
  SourceDocument,
  SourceNotification,
} from '../../src/connections/knowledge-source.port.js';

interface MemoryAccount {
  id: string;
  email: string;
  isGuest: boolean;
}
interface MemorySpace {
  id: string;
  isPublic: boolean;
  accounts: Set<string>;
  groups: Set<string>;
  /** What the roster contains: the readers, only that the space exists, or nothing. */
  disclosed: 'readers' | 'existence' | 'nothing';
}
interface MemoryPage {
  id: string;
  space: string;
  parent: string | null;
  text: string;
  version: number;
  /** Account ids. Null: the page itself is not restricted. */
  restrictedTo: Set<string> | null;
}

/**
 * A wiki in memory, with spaces, pages, restrictions, groups, guests and webhooks. Its connector supports everything that
 * a connector with permissions can.
 */
export class MemorySource {
  readonly accounts = new Map<string, MemoryAccount>();
  readonly groups = new Map<string, Set<string>>();
  readonly spaces = new Map<string, MemorySpace>();
  readonly pages = new Map<string, MemoryPage>();
  readonly secret = 'webhook-secret-of-the-memory-source';
  /** Thrown by the next roster. */
  rosterFault: Error | null = null;
  private readonly log: { page: string }[] = [];
  private deliveries = 0;

  constructor(readonly id = 'memory') {}

  addAccount(id: string, email: string, { isGuest = false } = {}): void {
    this.accounts.set(id, { id, email, isGuest });
  }

  addSpace(id: string, { isPublic = false, accounts = [] as string[], groups = [] as string[] } = {}): void {
    this.spaces.set(id, { id, isPublic, accounts: new Set(accounts), groups: new Set(groups), disclosed: 'readers' });
  }

  addPage(id: string, space: string, text: string, parent: string | null = null): void {
    this.pages.set(id, { id, space, parent, text, version: 1, restrictedTo: null });
    this.log.push({ page: id });
  }

  edit(id: string, change: Partial<MemoryPage>): void {
    const page = this.pages.get(id)!;
    Object.assign(page, change, { version: page.version + 1 });
    this.log.push({ page: id });
  }

  remove(id: string): void {
    this.pages.delete(id);
    this.log.push({ page: id });
  }

  accountOf(email: string): string {
    return [...this.accounts.values()].find((account) => account.email === email)!.id;
  }

  /** A signed webhook. */
  delivery(body: object, id = `delivery-${++this.deliveries}`) {
    const text = JSON.stringify(body);
    return {
      body: text,
      headers: {
        'content-type': 'application/json',
        'x-delivery': id,
        'x-signature': createHmac('sha256', this.secret).update(`${id}.${text}`).digest('hex'),
      },
    };
  }

  readonly connector: Connector = {
    id: this.id,
    title: 'Memory',
    setUp: 'For tests of permissions.',
    fields: [
      { name: 'containers', label: 'Spaces', type: 'containers', required: false, help: '' },
      { name: 'secret', label: 'Secret', type: 'secret', required: false, help: '' },
    ],
    offers: ['knowledge'],
    verify: async () => ({ status: 'connected' }),
    documents: (context) => this.documents(context),
    changes: (context) => this.changes(context.cursor.position as number, context),
    roster: () => this.roster(),
    containers: async () =>
      [...this.spaces.values()].map(({ id, isPublic }) => ({
        id,
        title: `Space ${id}`,
        note: isPublic ? 'public' : 'private',
      })),
    webhook: { setUp: 'In the memory of the test, choose all events.', secretField: 'secret' },
    receive: async (_, { headers, body }) => {
      const expected = createHmac('sha256', this.secret).update(`${headers['x-delivery']}.`).update(body).digest('hex');
      const given = headers['x-signature'] ?? '';
      if (given.length !== expected.length || !timingSafeEqual(Buffer.from(given), Buffer.from(expected))) return null;
      const { page, isRosterStale, challenge } = JSON.parse(body.toString()) as Record<string, string | undefined>;
      const notification: SourceNotification = { id: headers['x-delivery']!, hints: page ? [{ page }] : null };
      return { ...notification, isRosterStale: Boolean(isRosterStale), ...(challenge && { reply: { challenge } }) };
    },
  };

  private async *documents({ settings, setCursor, expects }: DocumentsContext): AsyncGenerator<SourceDocument> {
    setCursor({ position: this.log.length });
    const chosen = settings.containers as string[] | undefined;
    const pages = [...this.pages.values()].filter(({ space }) => !chosen?.length || chosen.includes(space));
    expects(pages.length);
    for (const page of pages) yield this.documentOf(page);
  }

  private async *changes(position: number, { setCursor }: DocumentsContext) {
    for (const { page } of this.log.slice(position)) {
      const current = this.pages.get(page);
      yield current ? this.documentOf(current) : { removed: page };
    }
    setCursor({ position: this.log.length });
  }

  private documentOf(page: MemoryPage): SourceDocument {
    return {
      externalId: page.id,
      kind: 'doc',
      title: page.id,
      url: `https://memory.example/${page.id}`,
      mediaType: 'text/plain',
      content: page.text,
      audience: this.audienceOf(page).id,
      fingerprint: String(page.version),
    };
  }

  private pathOf(page: MemoryPage): MemoryPage[] {
    const parent = page.parent ? this.pages.get(page.parent) : undefined;
    return parent ? [...this.pathOf(parent), page] : [page];
  }

  /** Every restricted page on the path adds a reader set. */
  private audienceOf(page: MemoryPage): {
    id: string;
    sets: ReaderSet[] | 'unreadable';
    disclosed: MemorySpace['disclosed'];
  } {
    const space = this.spaces.get(page.space)!;
    const restricted = this.pathOf(page).filter(({ restrictedTo }) => restrictedTo);
    const own = { accounts: [...space.accounts], groups: [...space.groups] };
    const base: ReaderSet[] = space.isPublic ? [{ groups: ['full-members'], accounts: [...space.accounts] }] : [own];
    const { disclosed } = space;
    const sets = [...base, ...restricted.map(({ restrictedTo }) => ({ accounts: [...restrictedTo!] }))];
    return {
      id: [`${this.id}/${space.id}`, ...restricted.map(({ id }) => id)].join('+'),
      sets: disclosed === 'readers' ? sets : 'unreadable',
      disclosed,
    };
  }

  private async *roster(): AsyncGenerator<RosterEntry> {
    for (const { id, email } of this.accounts.values()) yield { account: { id, name: id, email } };
    if (this.rosterFault) {
      const fault = this.rosterFault;
      this.rosterFault = null;
      throw fault;
    }
    const full = [...this.accounts.values()].filter(({ isGuest }) => !isGuest).map(({ id }) => id);
    yield { group: { id: 'full-members', accounts: full } };
    for (const [id, accounts] of this.groups) yield { group: { id, accounts: [...accounts] } };
    const audiences = new Map(
      [...this.pages.values()].map((page) => [this.audienceOf(page).id, this.audienceOf(page)]),
    );
    for (const { id, sets, disclosed } of audiences.values()) {
      if (disclosed === 'nothing') continue;
      yield {
        audience: { id, title: id, rule: 'Readers of the space and of every restricted page above.', readers: sets },
      };
    }
  }
}
