import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { GithubSimulator, type GithubSimulatorOptions } from '../../examples/simulators/github/github-simulator.js';
import type { GithubOrganization, GithubRepository, GithubUser } from '../../examples/simulators/github/github-data.js';
import type { GithubToken } from '../../examples/simulators/github/github-credentials.js';
import type { ConnectionContext } from '../../src/connections/connector-registry.service.js';
import { standardGitLimits } from '../../src/knowledge/git/git-repository.js';
import { githubConnector } from '../../src/knowledge/github/github.connector.js';
import { Config } from '../../src/platform/config/config.js';
import type { JsonObject } from '../../src/platform/json/strict-json.js';
import { localOutgoing } from './local-outgoing.js';
import { type ReadDocument, type ReadPass, ReadRoster, SourceFixture } from './source-fixture.js';

/** The folder of the copies of wikis. */
export const wikiStorage = mkdtempSync(path.join(os.tmpdir(), 'countersign-github-'));
process.once('exit', () => rmSync(wikiStorage, { recursive: true, force: true }));

/** The connector with an empty folder for wikis. It may connect to this machine. */
export const testedGithubConnector = githubConnector({
  root: wikiStorage,
  allowedNetworks: Config.from({ ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8' }).allowPrivateNetworks,
  limits: standardGitLimits,
});

export interface GithubPass extends Omit<ReadPass, 'documents'> {
  documents: ReadDocument[];
}

/** An organization on a simulated GitHub, and the connector that reads it. */
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
    return this.source(settings, secrets).context();
  }

  /** A complete pass. `stored` are the fingerprints of stored documents, whose content is not read again. */
  async walk(settings: Record<string, unknown> = {}, stored?: Map<string, string>): Promise<GithubPass> {
    const pass = await this.source(settings).walk(null, stored);
    return { ...pass, documents: [...pass.documents.values()] };
  }

  async changes(
    cursor: JsonObject | null,
    hints: JsonObject[] = [],
    settings: Record<string, unknown> = {},
  ): Promise<GithubPass> {
    const pass = await this.source(settings).changes(cursor!, hints);
    return { ...pass, documents: [...pass.documents.values()] };
  }

  async roster(settings: Record<string, unknown> = {}): Promise<GithubRoster> {
    return new GithubRoster(await this.source(settings).rosterEntries());
  }

  private source(settings: Record<string, unknown>, secrets: Record<string, string> = {}): SourceFixture {
    return new SourceFixture(testedGithubConnector, {
      outgoing: this.outgoing,
      settings: { ...this.settings, ...settings },
      secrets: { ...this.secrets, ...secrets },
    });
  }
}

/** The roster by login and repository. */
export class GithubRoster extends ReadRoster {
  get emails(): Record<string, string | undefined> {
    return Object.fromEntries([...this.accounts.values()].map(({ name, email }) => [name, email]));
  }

  /** The logins of all readers, in alphabetical order. */
  readersOf({ id }: GithubRepository): string[] | 'everyone' | 'unreadable' {
    const audience = this.audience(String(id));
    if (typeof audience.readers === 'string') return audience.readers;
    return [...this.accounts.values()]
      .filter((account) => this.canRead(account.id, { audience: audience.id }))
      .map(({ name }) => name)
      .sort();
  }
}
