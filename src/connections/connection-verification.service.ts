import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { OutboundHttpClient } from '../platform/http/outbound-http-client.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import {
  ConnectorRegistry,
  type ConnectionContext,
  type Connector,
  type Verification,
} from './connector-registry.service.js';
import { ConnectionSecretsService } from './connection-secrets.service.js';
import type { Connection } from './connection.entity.js';
import { failureMessageOf } from '../platform/errors/failure-message.js';
import { withinDeadline } from '../platform/events/within-deadline.js';
import { ToolDiscoveryService } from './tool-discovery.service.js';

export const verificationTimeoutMs = 20_000;

export interface OpenConnection {
  connector: Connector;
  context: ConnectionContext;
}

/** Opens a connection for its connector and verifies it. */
@Injectable()
export class ConnectionVerificationService {
  constructor(
    private readonly database: DatabaseService,
    private readonly outboundHttpClient: OutboundHttpClient,
    private readonly log: LogService,
    private readonly connectors: ConnectorRegistry,
    private readonly secrets: ConnectionSecretsService,
    private readonly discovery: ToolDiscoveryService,
  ) {}

  async open(principal: Principal, connection: Connection, signal: AbortSignal, tx?: Tx): Promise<OpenConnection> {
    const secrets = await (tx
      ? this.secrets.open(tx, connection)
      : this.database.tenant(principal, (own) => this.secrets.open(own, connection)));
    return this.openWith(principal, connection, secrets, signal);
  }

  openWith(
    principal: Principal,
    connection: Connection,
    secrets: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): OpenConnection {
    const { outboundHttpClient: outgoing, log } = this;
    const member = principal.kind === 'member' ? principal.memberId : undefined;
    const secret = (name: string) => secrets.get(name);
    return {
      connector: this.connectors.get(connection.kind),
      context: { connection, settings: connection.settings, member, secret, outgoing, signal, log },
    };
  }

  /** Verifies the connection and saves the tools that the other system offers now. */
  async verify(principal: Principal, connection: Connection, signal: AbortSignal): Promise<Verification> {
    try {
      const { connector, context } = await this.open(principal, connection, signal);
      const verification = await withinDeadline(signal, connector.verify(context));
      if (verification.status === 'failed' || !connector.tools) return verification;
      const { rejected } = await this.discovery.save(
        principal,
        connection,
        await withinDeadline(signal, connector.tools(context)),
      );
      return rejected.length ? limitedVerification(verification, rejected) : verification;
    } catch (error) {
      this.log.info({ err: error, connectionId: connection.id }, 'connection verification failed');
      if (signal.aborted)
        return {
          status: 'failed',
          reason: `The system did not answer within ${verificationTimeoutMs / 1000} seconds.`,
        };
      return { status: 'failed', reason: failureMessageOf(error) };
    }
  }
}

function limitedVerification({ reason }: Verification, rejected: { name: string; reason: string }[]): Verification {
  const named = rejected.slice(0, 3).map((tool) => `${tool.name || 'an unnamed tool'} (${tool.reason})`);
  const more = rejected.length > named.length ? `, and ${rejected.length - named.length} more` : '';
  return {
    status: 'limited',
    reason: [reason, `These tools cannot be used: ${named.join(', ')}${more}.`].filter(Boolean).join(' '),
  };
}
