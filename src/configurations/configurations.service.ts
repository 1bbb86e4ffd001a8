import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { newestFirstPage } from '../platform/graphql/newest-first.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import type { Page } from '../platform/graphql/connection.js';
import { ConfigurationPartsRegistry } from '../policies/configuration-parts-registry.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import type { Principal } from '../principal/principal.js';
import { AgentIdentity } from './agent-identity.entity.js';
import { Configuration } from './configuration.entity.js';
import type { ConfigurationsArgs, CreateConfigurationInput, UpdateConfigurationInput } from './configuration.input.js';
import { configurationChanged, configurationNotFound } from './configurations.error.js';
import { configurationsTopic } from './configurations.events.js';
import {
  selectBundles,
  lastKeyUses,
  toolsFingerprintsOfConfigurations,
  delegationConnections,
} from './configurations.sql.js';
import { ConfigurationPartsService } from './configuration-parts.service.js';
import { refuseTakenName } from './taken-name.js';

export interface ConfigurationBundle {
  configuration: Configuration;
  connectionIds: string[];
  groupIds: string[];
}

@Injectable()
export class ConfigurationsService implements OnModuleInit {
  /** Loads a list with one statement. */
  private readonly lastKeyUseBatcher = new Batcher<{ tenantId: string; id: string }, Date | null>(
    (tenantId, requests) =>
      this.database.tenant({ tenantId }, async (tx) => {
        const rows = await tx.run(lastKeyUses, [tenantId, requests.map(({ id }) => id)]);
        const usedAtById = new Map(rows.map(({ configurationId, usedAt }) => [configurationId, usedAt]));
        return requests.map(({ id }) => usedAtById.get(id) ?? null);
      }),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly parts: ConfigurationPartsService,
    private readonly policies: PoliciesService,
    private readonly configurationPartsRegistry: ConfigurationPartsRegistry,
    private readonly wakeupChannel: WakeupChannel,
  ) {}

  onModuleInit(): void {
    this.policies.onPublished(async (tx, { configurationId }) => this.notifyChanged(tx, configurationId));
    this.configurationPartsRegistry.register(async (tx, tenantId, configurationId) => {
      const bundle = await this.findBundle(tx, tenantId, configurationId);
      if (!bundle) throw unknownConfiguration();
      const agents = await tx.find(AgentIdentity, { where: { tenantId, configurationId }, select: { id: true } });
      const { configuration, connectionIds, groupIds } = bundle;
      return { name: configuration.name, connectionIds, groupIds, agentIds: agents.map(({ id }) => id) };
    });
  }

  /** Newest first. */
  list(principal: Principal, { search, ...page }: ConfigurationsArgs): Promise<Page<Configuration>> {
    return this.database.tenant(principal, (tx) => {
      const query = tx.createQueryBuilder(Configuration, 'c').where('c.tenantId = :tenantId', principal);
      if (search) query.andWhere('strpos(lower(c.name), lower(:search)) > 0', { search });
      return newestFirstPage(query, page);
    });
  }

  async get(principal: Principal, id: string): Promise<Configuration> {
    return (await this.getBundle(principal, id)).configuration;
  }

  getBundle(principal: Principal, id: string): Promise<ConfigurationBundle> {
    return this.database.tenant(principal, (tx) => this.getBundleIn(tx, principal, id));
  }

  /** In the order of the ids; null for one that does not exist. */
  listByIds(principal: Principal, ids: readonly string[]): Promise<(Configuration | null)[]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const found = await tx.findBy(Configuration, { tenantId, id: In(ids) });
      const byId = new Map(found.map((configuration) => [configuration.id, configuration]));
      return ids.map((id) => byId.get(id) ?? null);
    });
  }

  /** Uses one statement. Returns null if the configuration does not exist. */
  async findBundle(tx: Tx, tenantId: string, configurationId: string): Promise<ConfigurationBundle | null> {
    return (await this.findBundles(tx, tenantId, [configurationId])).get(configurationId) ?? null;
  }

  /** Uses one statement. The keys are configuration ids; configurations that do not exist are omitted. */
  async findBundles(
    tx: Tx,
    tenantId: string,
    configurationIds: readonly string[],
  ): Promise<Map<string, ConfigurationBundle>> {
    const rows = await tx.run(selectBundles, [tenantId, configurationIds]);
    return new Map(
      rows.map(({ connectionIds, groupIds, ...columns }) => [
        columns.id,
        { configuration: tx.create(Configuration, columns), connectionIds, groupIds },
      ]),
    );
  }

  /** Changes whenever a tool of its connections changes. */
  async toolsFingerprint(tx: Tx, tenantId: string, configurationId: string): Promise<string> {
    return (await this.toolsFingerprintsOf(tx, tenantId, [configurationId])).get(configurationId)!;
  }

  /** The fingerprints by configuration id. */
  async toolsFingerprintsOf(
    tx: Tx,
    tenantId: string,
    configurationIds: readonly string[],
  ): Promise<Map<string, string>> {
    const rows = await tx.run(toolsFingerprintsOfConfigurations, [tenantId, configurationIds]);
    return new Map(rows.map(({ id, print }) => [id, print]));
  }

  /** The connection through which one configuration delegates tasks to another, or null. */
  async findDelegation(tx: Tx, tenantId: string, fromId: string, toId: string): Promise<{ isPaused: boolean } | null> {
    return tx.one(delegationConnections, [tenantId, fromId, toId]);
  }

  /** Creates it with the default policies. Tokens cannot set groups, because groups decide what agents read. */
  async create(principal: Principal, input: CreateConfigurationInput): Promise<Configuration> {
    const hasConnections = input.connectionIds.length > 0 || Boolean(input.modelConnectionId);
    if (input.groupIds.length || (hasConnections && principal.kind !== 'system')) requireSession(principal);
    return this.database.tenant(principal, (tx) => this.createIn(tx, principal, input));
  }

  async createIn(
    tx: Tx,
    principal: Principal,
    { name, description, unprefixed = false, ...parts }: CreateConfigurationInput,
  ): Promise<Configuration> {
    const { tenantId } = principal;
    await this.parts.refuseUnknown(tx, tenantId, parts);
    if (unprefixed) refuseAmbiguousNames(parts.connectionIds);
    const row = {
      tenantId,
      id: newId(),
      name: name.trim(),
      description,
      modelConnectionId: parts.modelConnectionId ?? null,
      unprefixed,
      revision: 1,
      pausedAt: null,
      createdAt: new Date(),
    };
    const configuration = tx.create(Configuration, row);
    await refuseTakenName(tx.insert(Configuration, row), row.name);
    await this.parts.replace(tx, configuration, parts);
    await this.record(tx, principal, 'configuration.created', configuration, { unprefixed, ...parts });
    await this.policies.publishDefault(tx, principal, configuration.id);
    return configuration;
  }

  /** Tokens cannot change connections, model and groups, because these decide what agents can access. */
  async update(principal: Principal, input: UpdateConfigurationInput): Promise<Configuration> {
    if (input.groupIds || input.connectionIds || input.modelConnectionId !== undefined) requireSession(principal);
    return this.database.tenant(principal, (tx) => this.updateIn(tx, principal, input));
  }

  async updateIn(
    tx: Tx,
    principal: Principal,
    { configurationId, revision, name, description, unprefixed, ...parts }: UpdateConfigurationInput,
  ): Promise<Configuration> {
    const { tenantId } = principal;
    const configuration = await this.lock(tx, principal, configurationId);
    refuseSupersededConfiguration(configuration, revision);
    await this.parts.refuseUnknown(tx, tenantId, parts);
    if (unprefixed ?? (configuration.unprefixed && parts.connectionIds))
      refuseAmbiguousNames(
        parts.connectionIds ?? (await this.getBundleIn(tx, principal, configurationId)).connectionIds,
      );
    const change = {
      name: name?.trim() ?? configuration.name,
      description: description ?? configuration.description,
      modelConnectionId:
        parts.modelConnectionId === undefined ? configuration.modelConnectionId : parts.modelConnectionId,
      unprefixed: unprefixed ?? configuration.unprefixed,
      revision: configuration.revision + 1,
    };
    await refuseTakenName(tx.update(Configuration, { tenantId, id: configurationId }, change), change.name);
    await this.parts.replace(tx, configuration, parts);
    await this.record(tx, principal, 'configuration.updated', configuration, {
      name,
      description,
      unprefixed,
      ...parts,
    });
    return Object.assign(configuration, change);
  }

  /** The kill switch: the next call through it fails on every process, tasks wait. */
  pause(principal: Principal, id: string): Promise<Configuration> {
    return this.setPaused(principal, id, new Date());
  }

  async resume(principal: Principal, id: string): Promise<Configuration> {
    requireSession(principal);
    return this.setPaused(principal, id, null);
  }

  /** When one of its keys was last used, accurate to the minute. */
  lastKeyUse({ tenantId }: Principal, { id }: Configuration): Promise<Date | null> {
    return this.lastKeyUseBatcher.submit({ tenantId, id });
  }

  private async getBundleIn(tx: Tx, { tenantId }: Principal, id: string): Promise<ConfigurationBundle> {
    const bundle = await this.findBundle(tx, tenantId, id);
    if (!bundle) throw unknownConfiguration();
    return bundle;
  }

  private setPaused(principal: Principal, id: string, pausedAt: Date | null): Promise<Configuration> {
    return this.database.tenant(principal, async (tx) => {
      const configuration = await this.lock(tx, principal, id);
      if (!configuration.pausedAt === !pausedAt) return configuration;
      await tx.update(Configuration, { tenantId: principal.tenantId, id }, { pausedAt });
      await this.record(tx, principal, pausedAt ? 'configuration.paused' : 'configuration.resumed', configuration);
      return Object.assign(configuration, { pausedAt });
    });
  }

  /** Locks the row for this transaction. */
  async lock(tx: Tx, { tenantId }: Principal, id: string): Promise<Configuration> {
    const configuration = await tx.findOne(Configuration, {
      where: { tenantId, id },
      lock: { mode: 'pessimistic_write' },
    });
    if (!configuration) throw unknownConfiguration();
    return configuration;
  }

  private record(
    tx: Tx,
    principal: Principal,
    kind: string,
    { id, name }: Configuration,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    this.notifyChanged(tx, id);
    return this.audit.record(tx, principal, { kind, subject: { type: 'configuration', id, name }, detail });
  }

  private notifyChanged(tx: Tx, id: string): void {
    tx.afterCommit(() => this.wakeupChannel.publish(configurationsTopic, id));
  }
}

function refuseSupersededConfiguration({ revision }: Configuration, expected?: number | null): void {
  if (expected != null && expected !== revision)
    throw configurationChanged(
      `The configuration is at revision ${revision}, but the change is based on revision ${expected}.`,
    );
}

/** Two systems can use the same names, so names without a prefix require a single connection. */
function refuseAmbiguousNames(connectionIds: string[]): void {
  if (new Set(connectionIds).size === 1) return;
  const detail = 'needs a configuration with exactly one connection';
  throw invalidRequest('Names without a prefix require exactly one connection.', {
    errors: [{ pointer: '/unprefixed', detail }],
  });
}

const unknownConfiguration = () => configurationNotFound('The configuration does not exist.');
