import { GithubSimulator, type GithubSimulatorOptions } from '../../examples/simulators/github/github-simulator.js';
import type { GithubOrganization, GithubRepository, GithubUser } from '../../examples/simulators/github/github-data.js';
import type { GithubToken } from '../../examples/simulators/github/github-credentials.js';
import type { Connection } from '../../src/connections/connection.entity.js';
import type { ConnectionContext } from '../../src/connections/connector-registry.service.js';
import type { RosterEntry, SourceAudience, SourceDocument } from '../../src/connections/knowledge-source.port.js';
import { githubConnector } from '../../src/knowledge/github/github.connector.js';
import type { JsonObject } from '../../src/platform/json/strict-json.js';
import type { LogService } from '../../src/platform/telemetry/log.service.js';
import { documentsContext, type RecordedPass } from './documents-context.js';
import { localOutgoing } from './local-outgoing.js';

export interface ReadDocument extends Omit<SourceDocument, 'content'> {
  body: string;
}

export interface GithubPass extends RecordedPass {
  documents: ReadDocument[];
  removed: string[];
}

/** An organization at a simulated GitHub, with the connector that reads it. */
export class GithubFixture {
  readonly outgoing = localOutgoing();
  readonly settings: Record<string, unknown>;
  readonly secrets: Record<string, string>;
  readonly acme: GithubOrganization;
  readonly owner: GithubUser;
  readonly billing: GithubRepository;
  readonly token: GithubToken;

  static async start(options?: GithubSimulatorOptions): Promise<GithubFixture> {
    return new GithubFixture(await GithubSimulator.start(options));
  }

  private constructor(readonly github: GithubSimulator) {
    const { world, credentials } = github;
    this.owner = world.addUser('olga', { verifiedEmails: { acme: ['olga@acme.example'] } });
    this.acme = world.addOrganization('acme');
    world.setMember(this.acme, this.owner, 'admin');
    this.billing = world.addRepository(this.acme, 'billing');
    this.token = credentials.addToken(this.owner);
    this.settings = { access: 'token', url: github.url };
    this.secrets = { token: this.token.value };
  }

  async stop(): Promise<void> {
    await this.github.stop();
    await this.outgoing.onApplicationShutdown();
  }

  /** A member of the organization with a verified address. */
  member(login: string): GithubUser {
    const user = this.github.world.addUser(login, { verifiedEmails: { acme: [`${login}@acme.example`] } });
    this.github.world.setMember(this.acme, user, 'member');
    return user;
  }

  context(settings: Record<string, unknown> = {}, secrets: Record<string, string> = {}): ConnectionContext {
    const all = { ...this.secrets, ...secrets };
    return {
      connection: { slug: 'github' } as Connection,
      settings: { ...this.settings, ...settings },
      secret: (name) => all[name],
      outgoing: this.outgoing,
      signal: AbortSignal.timeout(300_000),
      log,
    };
  }

  /** A complete pass that reads the content of every document that `isKnown` does not know. */
  async walk(
    settings: Record<string, unknown> = {},
    { progress, isKnown }: { progress?: JsonObject; isKnown?: (document: SourceDocument) => boolean } = {},
  ): Promise<GithubPass> {
    const { documents: context, pass } = documentsContext(this.context(settings), progress ?? null);
    const documents: ReadDocument[] = [];
    for await (const document of githubConnector.documents!(context))
      if (!isKnown?.(document)) documents.push(await read(document));
    return { ...pass, documents, removed: [] };
  }

  async changes(
    cursor: JsonObject | null,
    hints: JsonObject[] = [],
    settings: Record<string, unknown> = {},
  ): Promise<GithubPass> {
    const base = { ...this.context(settings), cursor: cursor!, hints };
    const { documents: context, pass } = documentsContext(base);
    const documents: ReadDocument[] = [];
    const removed: string[] = [];
    for await (const change of githubConnector.changes!(context)) {
      if ('removed' in change) removed.push(change.removed);
      else documents.push(await read(change));
    }
    return { ...pass, documents, removed };
  }

  async roster(settings: Record<string, unknown> = {}): Promise<GithubRosterView> {
    const entries: RosterEntry[] = [];
    for await (const entry of githubConnector.roster!(this.context(settings))) entries.push(entry);
    return new GithubRosterView(entries, this.github);
  }
}

/** The roster by logins and names of repositories. */
export class GithubRosterView {
  readonly audiences: SourceAudience[];

  constructor(
    readonly entries: RosterEntry[],
    private readonly github: GithubSimulator,
  ) {
    this.audiences = entries.flatMap((entry) => ('audience' in entry ? [entry.audience] : []));
  }

  get emails(): Record<string, string | undefined> {
    return Object.fromEntries(
      this.entries.flatMap((entry) => ('account' in entry ? [[entry.account.name, entry.account.email]] : [])),
    );
  }

  /** Logins of the people who are in every reader set, in order of the alphabet. */
  readersOf(repository: GithubRepository): string[] | 'everyone' | 'unreadable' | undefined {
    const audience = this.audiences.find(({ id }) => id.endsWith(`/repositories/${repository.id}`));
    if (!audience || typeof audience.readers === 'string')
      return audience?.readers as 'everyone' | 'unreadable' | undefined;
    const groups = new Map(
      this.entries.flatMap((entry) => ('group' in entry ? [[entry.group.id, entry.group.accounts] as const] : [])),
    );
    const sets = audience.readers.map(
      ({ accounts = [], groups: names = [] }) =>
        new Set([...accounts, ...names.flatMap((name) => groups.get(name) ?? [])]),
    );
    const [first, ...rest] = sets;
    const all = [...first].filter((account) => rest.every((set) => set.has(account)));
    return all.map((account) => this.github.world.users.get(Number(account.split('/').at(-1)))!.login).sort();
  }
}

async function read({ content, ...document }: SourceDocument): Promise<ReadDocument> {
  const body = typeof content === 'function' ? await content() : content;
  return { ...document, body: typeof body === 'string' ? body : Buffer.from(body).toString() };
}

const log = { debug() {}, info() {}, warn() {}, error() {} } as unknown as LogService;
