import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import type { Configuration } from '../../configurations/configuration.entity.js';
import { ConfigurationsService } from '../../configurations/configurations.service.js';
import { UsableConfigurationsService } from '../../configurations/usable-configurations.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import { catchProblem } from '../../platform/errors/catch-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { groupedBy } from '../../platform/graphql/request-loader.js';
import type { Principal } from '../../principal/principal.js';
import { OauthClient } from '../client.entity.js';
import type { CreateOauthClientInput } from '../clients/client.input.js';
import { ClientsService } from '../clients/clients.service.js';
import { ProtectedResourcesService } from '../clients/protected-resources.service.js';
import type { Assistant, SetupStep } from './assistant.js';
import { assistantNotKnown } from './assistants.error.js';
import { knownAssistants } from './known-assistants.js';
import { serverNameOf } from './server-name.js';

export interface AssistantSetup {
  id: string;
  name: string;
  hint?: string;
  redirectUris: string[];
  /** Null if it is not registered for this configuration. */
  client: OauthClient | null;
  /** Why it cannot reach this server; null if no obstacle is known. */
  obstacle: string | null;
  /** How a person connects it; empty while there is no client. */
  steps: SetupStep[];
}

export interface AssistantsOverview {
  configuration: Configuration;
  /** The connections of the configuration. */
  connectionIds: string[];
  /** The MCP URL. */
  address: string;
  /** One of the person's groups may use it, so the person's assistant gets access. */
  isUsable: boolean;
  assistants: AssistantSetup[];
  /** Other clients that an administrator registered for the configuration. */
  others: OauthClient[];
}

/**
 * Connects assistants to configurations. An administrator registers an assistant once; then each person connects
 * theirs.
 */
@Injectable()
export class AssistantsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly configurations: ConfigurationsService,
    private readonly usable: UsableConfigurationsService,
    private readonly clients: ClientsService,
    private readonly resources: ProtectedResourcesService,
  ) {}

  /** The MCP URL of all configurations. */
  get address(): string {
    return this.resources.address('mcp');
  }

  /** For people who may use the configuration, and for administrators. */
  async getOverview(principal: Principal, configurationId: string): Promise<AssistantsOverview> {
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

  /** The configurations that a person may use; all of them for administrators. Newest first. */
  async listConfigurations(principal: Principal): Promise<Configuration[]> {
    return principal.permissions.has('organization:manage')
      ? (await this.configurations.list(principal, { first: maxListedConfigurations })).nodes
      : (await this.usable.list(principal, { limit: maxListedConfigurations })).configurations;
  }

  /** Registers the assistant with the settings that its vendor documents. Returns an existing client unchanged. */
  async register(principal: Principal, configurationId: string, id: string): Promise<OauthClient> {
    const assistant = knownAssistants.find((one) => one.id === id);
    if (!assistant) throw assistantNotKnown('No known assistant has this name.');
    const configuration = await this.configurations.get(principal, configurationId);
    const findClient = async () => this.clientOf(assistant, await this.clientsOf(principal, configuration));
    const existing = await findClient();
    if (existing) return existing;
    const created = await catchProblem(this.clients.create(principal, this.registration(assistant, configuration)));
    if (!(created instanceof Problem)) return created.client;
    // a concurrent request registered the same client, which has taken the name
    const concurrent = await findClient();
    if (!concurrent) throw created;
    return concurrent;
  }

  private registration(assistant: Assistant, configuration: Configuration): CreateOauthClientInput {
    return {
      name: clientName(assistant, configuration),
      type: 'public',
      isNative: assistant.isNative,
      redirectUris: assistant.redirectUris(this.address),
      target: 'mcp',
      configurationId: configuration.id,
      // an assistant sees only the tools of its scopes; the policies decide on each call
      scopes: ['api:read', 'api:write'],
      contacts: [],
    };
  }

  private async find(
    principal: Principal,
    id: string,
  ): Promise<Pick<AssistantsOverview, 'configuration' | 'isUsable'>> {
    const own = await catchProblem(this.usable.get(principal, id));
    if (!(own instanceof Problem)) return { configuration: own, isUsable: true };
    if (!principal.permissions.has('organization:manage')) throw own;
    return { configuration: await this.configurations.get(principal, id), isUsable: false };
  }

  /** Every known assistant. `clients` are the clients of the configuration. */
  assistantsOf(configuration: Configuration, clients: OauthClient[]): AssistantSetup[] {
    return knownAssistants.map((assistant) => this.toSetup(assistant, configuration, clients));
  }

  /** Unrevoked clients of each configuration, in the order of the ids, newest first. */
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

  private toSetup(assistant: Assistant, configuration: Configuration, clients: OauthClient[]): AssistantSetup {
    const client = this.clientOf(assistant, clients);
    const reach = { address: this.address, serverName: serverNameOf(configuration.name) };
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

  /** Identifies the client by its redirect URIs, because administrators can rename it. */
  private clientOf(assistant: Assistant, clients: OauthClient[]): OauthClient | null {
    const expected = assistant.redirectUris(this.address);
    const matches = ({ type, redirectUris }: OauthClient) =>
      type === 'public' && expected.every((uri) => redirectUris.includes(uri));
    return clients.find(matches) ?? null;
  }
}

const maxListedConfigurations = 200;
const maxClientNameLength = 80;

/** The consent page shows this name, so it includes the configuration. */
function clientName(assistant: Assistant, configuration: Configuration): string {
  const name = `${assistant.name}: ${configuration.name}`;
  return name.length > maxClientNameLength ? `${name.slice(0, maxClientNameLength - 1).trimEnd()}…` : name;
}
