import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { AdministrationService } from '../access/administration/administration.service.js';
import { authorsOf, type ChangeDescription } from '../access/administration/administration-change.port.js';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { isUniqueViolation } from '../platform/database/database-error.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { OutboxService } from '../platform/events/outbox.service.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import type { Page } from '../platform/graphql/connection.js';
import { newestFirstPage } from '../platform/graphql/newest-first.js';
import type { Principal } from '../principal/principal.js';
import { ConnectorRegistry, type Connector } from './connector-registry.service.js';
import { ConnectionSecretsService } from './connection-secrets.service.js';
import { Connection } from './connection.entity.js';
import type { ConnectionsArgs, CreateConnectionInput, UpdateConnectionInput } from './connection.input.js';
import { connectionNotFound } from './connections.error.js';
import { mergedSettings, withoutQueries } from './settings.js';
import {
  ConnectionVerificationService,
  verificationTimeoutMs,
  type OpenConnection,
} from './connection-verification.service.js';
import {
  changedNames,
  describeNewConnection,
  describeNewTarget,
  newConnectionOf,
  requireRevision,
  requireValidSettings,
  slugInUse,
} from './connection-changes.js';
import { changedTargets } from './targets.js';
import type { ResultRules } from './result-rules.js';
import { markToolsGone } from './tools.sql.js';
import { connectionsTopic } from './connections.events.js';

export type { OpenConnection } from './connection-verification.service.js';

interface UpdatedConnection {
  connection: Connection;
  /** Another revision, which has to be verified. */
  isRevised: boolean;
}

@Injectable()
export class ConnectionsService {
  private readonly reservedSlugs = new Set<string>();
  private readonly submitCreation: (principal: Principal, input: CreateConnectionInput) => Promise<Connection>;
  private readonly submitUpdate: (principal: Principal, input: UpdateConnectionInput) => Promise<UpdatedConnection>;

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly outbox: OutboxService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly connectors: ConnectorRegistry,
    private readonly secrets: ConnectionSecretsService,
    private readonly connectionVerification: ConnectionVerificationService,
    administration: AdministrationService,
  ) {
    const permission = 'connections:manage';
    this.submitCreation = administration.register<CreateConnectionInput, Connection>({
      kind: 'connection.create',
      permission,
      describe: async (_tx, principal, input) =>
        describeNewConnection(this.newConnection(principal, input), input.secrets ?? {}),
      apply: (tx, principal, input) => this.createIn(tx, principal, input),
      finish: (principal, { id }) => this.verify(principal, id),
    });
    this.submitUpdate = administration.register<UpdateConnectionInput, UpdatedConnection>({
      kind: 'connection.update',
      permission,
      describe: (tx, principal, input) => this.describeUpdate(tx, principal, input),
      apply: (tx, principal, input) => this.updateIn(tx, principal, input),
      finish: async (principal, updated) =>
        updated.isRevised ? { ...updated, connection: await this.verify(principal, updated.connection.id) } : updated,
    });
  }

  listConnectors(_principal: Principal): Connector[] {
    return this.connectors.list();
  }

  /** Newest first. */
  list(principal: Principal, { search, ...page }: ConnectionsArgs): Promise<Page<Connection>> {
    return this.database.tenant(principal, (tx) => {
      const query = tx
        .createQueryBuilder(Connection, 'c')
        .where('c.tenantId = :tenantId and c.removedAt is null', principal);
      if (search) query.andWhere(`strpos(lower(concat_ws(' ', c.name, c.slug)), lower(:search)) > 0`, { search });
      return newestFirstPage(query, page);
    });
  }

  find(principal: Principal, id: string, tx?: Tx): Promise<Connection | null> {
    const where = { tenantId: principal.tenantId, id, removedAt: IsNull() };
    return tx
      ? tx.findOneBy(Connection, where)
      : this.database.tenant(principal, (own) => own.findOneBy(Connection, where));
  }

  /** In the order of the ids; null for a connection that does not exist or was removed. */
  findByIds(principal: Principal, ids: readonly string[]): Promise<(Connection | null)[]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const found = await tx.findBy(Connection, { tenantId, id: In(ids), removedAt: IsNull() });
      const byId = new Map(found.map((connection) => [connection.id, connection]));
      return ids.map((id) => byId.get(id) ?? null);
    });
  }

  async get(principal: Principal, id: string, tx?: Tx): Promise<Connection> {
    const connection = await this.find(principal, id, tx);
    if (!connection) throw connectionNotFound('There is no such connection.');
    return connection;
  }

  findBySlug(principal: Principal, slug: string): Promise<Connection | null> {
    return this.database.tenant(principal, (tx) =>
      tx.findOneBy(Connection, { tenantId: principal.tenantId, slug, removedAt: IsNull() }),
    );
  }

  /** Names of the credentials that are set for each connection, in the order of the ids. */
  credentialsOf(principal: Principal, ids: readonly string[], tx?: Tx): Promise<string[][]> {
    const load = (own: Tx) => this.secrets.namesOf(own, principal.tenantId, ids);
    return tx ? load(tx) : this.database.tenant(principal, load);
  }

  /** Built-in tools use it as their prefix, so no connection can take it. */
  reserveSlug(slug: string): void {
    this.reservedSlugs.add(slug);
  }

  /** Saves, then verifies; the returned connection carries the result of the verification. */
  async create(principal: Principal, input: CreateConnectionInput): Promise<Connection> {
    requireSession(principal);
    return this.submitCreation(principal, input);
  }

  /** The connection as it would be created. Refuses invalid input. */
  newConnection({ tenantId }: Principal, input: CreateConnectionInput): Connection {
    if (this.reservedSlugs.has(input.slug)) throw slugInUse(input.slug);
    return newConnectionOf(tenantId, this.connectorOf(input.kind), input);
  }

  async createIn(
    tx: Tx,
    principal: Principal,
    input: CreateConnectionInput,
    connection = this.newConnection(principal, input),
  ): Promise<Connection> {
    const { kind, slug } = connection;
    await tx.save(connection).catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      throw slugInUse(slug);
    });
    await this.secrets.update(tx, connection, input.secrets ?? {});
    await this.record(tx, principal, 'connection.created', connection, {
      kind,
      slug,
      settings: withoutQueries(connection.settings),
    });
    return connection;
  }

  /** A new target (host, command, account) clears the credentials, so that no other party receives them. */
  async update(principal: Principal, input: UpdateConnectionInput): Promise<Connection> {
    requireSession(principal);
    const { connection, isRevised } = await this.submitUpdate(principal, input);
    return isRevised ? connection : this.get(principal, input.id);
  }

  private async describeUpdate(
    tx: Tx,
    principal: Principal,
    input: UpdateConnectionInput,
  ): Promise<ChangeDescription | null> {
    const connection = await this.get(principal, input.id, tx);
    requireRevision(connection, input.revision);
    const connector = this.connectorOf(connection.kind);
    const after = mergedSettings(connection.settings, input.settings ?? {});
    requireValidSettings(connector, after, input.secrets ?? {}, false);
    return changedTargets(connector, connection.settings, after).length
      ? describeNewTarget(connection, after, input)
      : null;
  }

  async updateIn(
    tx: Tx,
    principal: Principal,
    { id, revision, name, settings, secrets }: UpdateConnectionInput,
  ): Promise<UpdatedConnection> {
    const connection = await this.lock(tx, principal, id);
    requireRevision(connection, revision);
    const connector = this.connectorOf(connection.kind);
    const after = mergedSettings(connection.settings, settings ?? {});
    requireValidSettings(connector, after, secrets ?? {}, false);
    const targets = changedTargets(connector, connection.settings, after);
    if (targets.length) await this.secrets.clear(tx, connection);
    await this.secrets.update(tx, connection, secrets ?? {});
    const changed = changedNames(connection.settings, after);
    const isRevised = changed.length > 0 || Object.keys(secrets ?? {}).length > 0;
    await tx.update(
      Connection,
      { tenantId: principal.tenantId, id },
      {
        name: name?.trim() ?? connection.name,
        settings: after as object,
        revision: isRevised ? revision + 1 : revision,
        changedAt: new Date(),
        changedBy: authorsOf(principal)[0],
      },
    );
    await this.record(tx, principal, 'connection.updated', connection, {
      settings: changed,
      secrets: Object.keys(secrets ?? {}),
      ...(targets.length && { credentialsClearedBy: targets }),
    });
    if (isRevised) this.publishChange(tx, connection);
    return { connection, isRevised };
  }

  remove(principal: Principal, id: string): Promise<Connection> {
    return this.database.tenant(principal, (tx) => this.removeIn(tx, principal, id));
  }

  async removeIn(tx: Tx, principal: Principal, id: string): Promise<Connection> {
    const connection = await this.lock(tx, principal, id);
    connection.removedAt = new Date();
    await tx.update(Connection, { tenantId: principal.tenantId, id }, { removedAt: connection.removedAt });
    await tx.execute(markToolsGone, [principal.tenantId, id]);
    await this.secrets.clear(tx, connection);
    await this.record(tx, principal, 'connection.removed', connection);
    this.publishChange(tx, connection);
    return connection;
  }

  /** The kill switch: the next call through it fails on every process. */
  pause(principal: Principal, id: string): Promise<Connection> {
    return this.setPaused(principal, id, new Date());
  }

  async resume(principal: Principal, id: string): Promise<Connection> {
    requireSession(principal);
    return this.setPaused(principal, id, null);
  }

  /** What happens to the results of its tools, apart from tools with rules of their own. */
  async setResultRules(principal: Principal, id: string, rules: ResultRules | null): Promise<Connection> {
    requireSession(principal);
    return this.database.tenant(principal, (tx) => this.setResultRulesIn(tx, principal, id, rules));
  }

  async setResultRulesIn(tx: Tx, principal: Principal, id: string, rules: ResultRules | null): Promise<Connection> {
    const connection = await this.lock(tx, principal, id);
    const { resultRules: from } = connection;
    const to = rules && { ...rules };
    if (isDeepStrictEqual(from, to)) return connection;
    await tx.update(Connection, { tenantId: principal.tenantId, id }, { resultRules: to });
    await this.record(tx, principal, 'connection.result_rules_changed', connection, { from, to });
    return Object.assign(connection, { resultRules: to });
  }

  private setPaused(principal: Principal, id: string, pausedAt: Date | null): Promise<Connection> {
    return this.database.tenant(principal, async (tx) => {
      const connection = await this.lock(tx, principal, id);
      if (!connection.pausedAt === !pausedAt) return connection;
      await tx.update(Connection, { tenantId: principal.tenantId, id }, { pausedAt });
      await this.record(tx, principal, pausedAt ? 'connection.paused' : 'connection.resumed', connection);
      await this.emitStateChanged(tx, connection);
      this.publishChange(tx, connection);
      return Object.assign(connection, { pausedAt });
    });
  }

  /** Checks, read-only, whether the other system can be used, and updates the tools that it offers. */
  async verify(principal: Principal, id: string, shutdown?: AbortSignal): Promise<Connection> {
    const connection = await this.get(principal, id);
    const timeout = AbortSignal.timeout(verificationTimeoutMs);
    const verification = await this.connectionVerification.verify(
      principal,
      connection,
      shutdown ? AbortSignal.any([timeout, shutdown]) : timeout,
    );
    if (shutdown?.aborted) return connection; // the result says nothing about the other system
    return this.database.tenant(principal, async (tx) => {
      const current = await this.lock(tx, principal, id);
      // The result belongs to settings that have been replaced since. Their save runs its own verification.
      if (current.revision !== connection.revision) return current;
      const status = { status: verification.status, statusReason: verification.reason ?? null, verifiedAt: new Date() };
      await tx.update(Connection, { tenantId: principal.tenantId, id }, status);
      const isStatusChanged = current.status !== verification.status;
      if (isStatusChanged || principal.kind !== 'system')
        await this.record(tx, principal, 'connection.verified', current, {
          status: verification.status,
          reason: verification.reason,
        });
      if (isStatusChanged) await this.emitStateChanged(tx, current);
      return Object.assign(current, status);
    });
  }

  /** For modules that work through a connection. Opens paused connections, too. */
  open(principal: Principal, connection: Connection, signal: AbortSignal, tx?: Tx): Promise<OpenConnection> {
    return this.connectionVerification.open(principal, connection, signal, tx);
  }

  private connectorOf(id: string): Connector {
    const connector = this.connectors.find(id);
    if (!connector)
      throw invalidRequest(`There is no connector "${id}".`, {
        errors: [{ pointer: '/kind', detail: 'must be the id of a connector' }],
      });
    return connector;
  }

  private async lock(tx: Tx, principal: Principal, id: string): Promise<Connection> {
    const where = { tenantId: principal.tenantId, id, removedAt: IsNull() };
    const connection = await tx.findOne(Connection, { where, lock: { mode: 'pessimistic_write' } });
    if (!connection) throw connectionNotFound('There is no such connection.');
    return connection;
  }

  /** Every process closes what it has open for the connection. */
  private publishChange(tx: Tx, { id }: Connection): void {
    tx.afterCommit(() => this.wakeupChannel.publish(connectionsTopic, id));
  }

  private record(
    tx: Tx,
    principal: Principal,
    kind: string,
    { id, name }: Connection,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    return this.audit.record(tx, principal, { kind, subject: { type: 'connection', id, name }, detail });
  }

  private emitStateChanged(tx: Tx, { tenantId, id }: Connection): Promise<void> {
    return this.outbox.write(tx, tenantId, 'connection.state_changed', { connectionId: id });
  }
}
