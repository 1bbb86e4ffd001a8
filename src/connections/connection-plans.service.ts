import { Injectable } from '@nestjs/common';
import { withinDeadline } from '../platform/events/within-deadline.js';
import type { Tx } from '../platform/database/tx.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { failureMessageOf } from '../platform/errors/failure-message.js';
import type { InvalidField } from '../platform/errors/problem.js';
import type { Principal } from '../principal/principal.js';
import { Connection } from './connection.entity.js';
import type { CreateConnectionInput } from './connection.input.js';
import { ConnectionVerificationService, verificationTimeoutMs } from './connection-verification.service.js';
import { ConnectionsService } from './connections.service.js';
import { ConnectorRegistry, type DiscoveredTool, type Verification } from './connector-registry.service.js';
import { type SecretChanges, secretFaults, type Settings, settingsFaults } from './settings.js';
import { changedTargets } from './targets.js';
import { ToolDiscoveryService } from './tool-discovery.service.js';

/** A connection that does not exist yet, with what its system answered. */
export interface ProbedConnection {
  connection: Connection;
  verification: Verification;
  tools: DiscoveredTool[];
}

/** What creating or changing a connection needs and does, before it happens. */
@Injectable()
export class ConnectionPlansService {
  constructor(
    private readonly connectors: ConnectorRegistry,
    private readonly connections: ConnectionsService,
    private readonly verifications: ConnectionVerificationService,
    private readonly discovery: ToolDiscoveryService,
    private readonly log: LogService,
  ) {}

  /** Settings that hold the id of a configuration. */
  configurationSettings(kind: string): string[] {
    const fields = this.connectors.find(kind)?.fields ?? [];
    return fields.filter(({ type }) => type === 'configuration').map(({ name }) => name);
  }

  /** Pointers start with /connector, /settings or /secrets. `isNew`: all required credentials are needed. */
  faultsOf(kind: string, settings: Settings, secrets: SecretChanges, isNew: boolean): InvalidField[] {
    const connector = this.connectors.find(kind);
    if (!connector) return [{ pointer: '/connector', detail: `there is no connector "${kind}"` }];
    return [...settingsFaults(connector, settings), ...secretFaults(connector, secrets, isNew)];
  }

  /** The settings whose change clears the credentials. */
  changedTargets(kind: string, before: Settings, after: Settings): string[] {
    return changedTargets(this.connectors.get(kind), before, after);
  }

  /**
   * Verifies a connection before it is created, so that the connection, its tools and the policies that name these tools
   * can be created in one transaction. A system that does not answer is no error: the connection is created, and
   * its status says why it does not work. Null if the deadline came first.
   */
  async probe(
    principal: Principal,
    input: CreateConnectionInput,
    deadline: AbortSignal,
  ): Promise<ProbedConnection | null> {
    const connection = this.connections.newConnection(principal, input);
    const timeout = AbortSignal.timeout(verificationTimeoutMs);
    const signal = AbortSignal.any([timeout, deadline]);
    const secrets = Object.entries(input.secrets ?? {}).flatMap(([name, value]) =>
      value === null ? [] : [[name, value.trim()] as const],
    );
    try {
      const { connector, context } = this.verifications.openWith(principal, connection, new Map(secrets), signal);
      const verification = await withinDeadline(signal, connector.verify(context));
      const hasTools = verification.status !== 'failed' && connector.tools;
      return {
        connection,
        verification,
        tools: hasTools ? await withinDeadline(signal, connector.tools!(context)) : [],
      };
    } catch (error) {
      if (deadline.aborted && !timeout.aborted) return null;
      this.log.info({ err: error, connection: connection.slug }, 'new connection could not be verified');
      const seconds = verificationTimeoutMs / 1000;
      const reason = timeout.aborted ? `The system did not answer within ${seconds} seconds.` : failureMessageOf(error);
      return { connection, verification: { status: 'failed', reason }, tools: [] };
    }
  }

  /** Creates the connection with its tools. */
  async createIn(
    tx: Tx,
    principal: Principal,
    input: CreateConnectionInput,
    { connection, verification, tools }: ProbedConnection,
  ): Promise<Connection> {
    await this.connections.createIn(tx, principal, input, connection);
    if (tools.length) await this.discovery.saveIn(tx, principal, connection, tools);
    const { status, reason = null } = verification;
    const verified = { status, statusReason: reason, verifiedAt: new Date() };
    await tx.update(Connection, { tenantId: principal.tenantId, id: connection.id }, verified);
    return Object.assign(connection, verified);
  }
}
