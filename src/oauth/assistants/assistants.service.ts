import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import type { Configuration } from '../../configurations/configuration.entity.js';
import { ConfigurationsService } from '../../configurations/configurations.service.js';
import { UsableConfigurations } from '../../configurations/usable-configurations.service.js';
import { Database } from '../../platform/database/database.service.js';
import { orProblem } from '../../platform/errors/or-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { groupedBy } from '../../platform/graphql/request-loader.js';
import type { Principal } from '../../principal/principal.js';
import { OauthClient } from '../clients/client.entity.js';
import type { CreateOauthClientInput } from '../clients/client.input.js';
import { ClientsService } from '../clients/clients.service.js';
import { ProtectedResources } from '../clients/protected-resources.service.js';
import type { Assistant, Step } from './assistant.js';
import { assistantNotKnown } from './assistants.error.js';
import { knownAssistants } from './known-assistants.js';
import { serverName } from './server-name.js';

export type { Step } from './assistant.js';

export interface AssistantSetUp {
  id: string;
  name: string;
  hint?: string;
  /** Where it would be, or is, called back. */
  redirectUris: string[];
  /** Null: nobody has registered it for this configuration. */
  client: OauthClient | null;
  /** Why it could not reach this server; null, nothing is known to be in its way. */
  obstacle: string | null;
  /** How a person connects it; none while there is no client. */
  steps: Step[];
}

export interface SetUp {
  configuration: Configuration;
  /** Of what it reaches. */
  connectionIds: string[];
  /** Of MCP. */
  address: string;
  /** One of the person's groups may use it: an assistant of theirs would be let in. */
  isUsable: boolean;
  assistants: AssistantSetUp[];
  /** Whatever else was registered for it, by hand. */
  others: OauthClient[];
}

/** How the assistants that people have reach a configuration. An administrator registers one once, then everybody connects their own. */
@Injectable()
export class Assistants {
  constructor(
    private readonly database: Database,
    private readonly configurations: ConfigurationsService,
    private readonly usable: UsableConfigurations,
    private readonly clients: ClientsService,
    private readonly resources: ProtectedResources,
  ) {}

  /** Where assistants reach every configuration. */
  get address(): string {
    return this.resources.address('mcp');
  }

  /** For those who may use the configuration, and for administrators. */
  async setUp(principal: Principal, configurationId: string): Promise<SetUp> {
    const { configuration, isUsable } = await this.find(principal, configurationId);
    const [clients, { connectionIds }] = await Promise.all([
      this.clientsOf(principal, configuration),
      this.configurations.getBundle(principal, configuration.id),
    ]);
    const assistants = this.assistantsOf(configuration, clients);
    const known = new Set(assistants.map(({ client }) => client));
    return {
      configuration,
      connectionIds,
      address: this.address,
      isUsable,
      assistants,
      others: clients.filter((client) => !known.has(client)),
    };
  }

  /** What a person could connect an assistant to; for administrators, everything. Newest first. */
  async configurationsFor(principal: Principal): Promise<Configuration[]> {
    return principal.permissions.has('organization:manage')
      ? (await this.configurations.list(principal, { first: mostListed })).nodes
      : (await this.usable.list(principal, { limit: mostListed })).configurations;
  }

  /** As its maker says that it has to be registered: nothing to fill in. One that is there already stays as it is. */
  async register(principal: Principal, configurationId: string, id: string): Promise<OauthClient> {
    const assistant = knownAssistants.find((one) => one.id === id);
    if (!assistant) throw assistantNotKnown('No assistant of that name is known here.');
    const configuration = await this.configurations.get(principal, configurationId);
    const look = async () => this.clientOf(assistant, await this.clientsOf(principal, configuration));
    const there = await look();
    if (there) return there;
    const made = await orProblem(this.clients.create(principal, this.registration(assistant, configuration)));
    if (!(made instanceof Problem)) return made.client;
    // somebody else pressed at the same time: the name is taken by the very same client
    const theirs = await look();
    if (!theirs) throw made;
    return theirs;
  }

  private registration(assistant: Assistant, configuration: Configuration): CreateOauthClientInput {
    return {
      name: clientName(assistant, configuration),
      type: 'public',
      isNative: assistant.isNative,
      redirectUris: assistant.redirectUris(this.address),
      target: 'mcp',
      configurationId: configuration.id,
      // an assistant is shown no more tools than its token reaches; the policies decide about each call
      scopes: ['api:read', 'api:write'],
      contacts: [],
    };
  }

  private async find(principal: Principal, id: string): Promise<Pick<SetUp, 'configuration' | 'isUsable'>> {
    const own = await orProblem(this.usable.get(principal, id));
    if (!(own instanceof Problem)) return { configuration: own, isUsable: true };
    if (!principal.permissions.has('organization:manage')) throw own;
    return { configuration: await this.configurations.get(principal, id), isUsable: false };
  }

  /** Every known assistant. `clients` are those of the configuration. */
  assistantsOf(configuration: Configuration, clients: OauthClient[]): AssistantSetUp[] {
    return knownAssistants.map((assistant) => this.shown(assistant, configuration, clients));
  }

  /** Clients of each configuration that were not revoked, in the order of the ids, newest first. */
  clientsOfEach(principal: Principal, configurationIds: readonly string[]): Promise<OauthClient[][]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const clients = await tx.find(OauthClient, {
        where: { tenantId, configurationId: In(configurationIds), revokedAt: IsNull() },
        order: { createdAt: 'desc', id: 'desc' },
      });
      return groupedBy(configurationIds, clients, ({ configurationId }) => configurationId!);
    });
  }

  private async clientsOf(principal: Principal, { id }: Configuration): Promise<OauthClient[]> {
    return (await this.clientsOfEach(principal, [id]))[0];
  }

  private shown(assistant: Assistant, configuration: Configuration, clients: OauthClient[]): AssistantSetUp {
    const client = this.clientOf(assistant, clients);
    const reach = { address: this.address, serverName: serverName(configuration.name) };
    return {
      id: assistant.id,
      name: assistant.name,
      hint: assistant.hint,
      redirectUris: assistant.redirectUris(this.address),
      client,
      obstacle: assistant.obstacle?.(this.address) ?? null,
      steps: client ? assistant.steps({ ...reach, clientId: client.id }) : [],
    };
  }

  /** It is known by where it is called back, whatever it was named. */
  private clientOf(assistant: Assistant, clients: OauthClient[]): OauthClient | null {
    const wanted = assistant.redirectUris(this.address);
    const isIts = ({ type, redirectUris }: OauthClient) =>
      type === 'public' && wanted.every((uri) => redirectUris.includes(uri));
    return clients.find(isIts) ?? null;
  }
}

const mostListed = 200;
const longestName = 80;

/** People see it when they are asked, and tell the configurations apart by it. */
function clientName(assistant: Assistant, configuration: Configuration): string {
  const name = `${assistant.name}: ${configuration.name}`;
  return name.length > longestName ? `${name.slice(0, longestName - 1).trimEnd()}…` : name;
}
