import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../platform/database/database.service.js';
import { Outgoing } from '../platform/http/outgoing.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import {
  ConnectionKinds,
  type ConnectionContext,
  type ConnectorKind,
  type Verification,
} from './connection-kinds.service.js';
import { ConnectionSecrets } from './connection-secrets.service.js';
import type { Connection } from './connection.entity.js';
import { messageOf, within } from './deadline.js';
import { ToolDiscovery } from './tool-discovery.service.js';

export const verificationMs = 20_000;

export interface OpenConnection {
  kind: ConnectorKind;
  context: ConnectionContext;
}

/** Opens a connection for its kind, and has the kind look at it. */
@Injectable()
export class Examination {
  constructor(
    private readonly database: Database,
    private readonly outgoing: Outgoing,
    private readonly log: Log,
    private readonly kinds: ConnectionKinds,
    private readonly secrets: ConnectionSecrets,
    private readonly discovery: ToolDiscovery,
  ) {}

  async open(
    principal: Principal,
    connection: Connection,
    signal: AbortSignal,
    tx?: EntityManager,
  ): Promise<OpenConnection> {
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
    const { outgoing, log } = this;
    const member = principal.kind === 'member' ? principal.memberId : undefined;
    const secret = (name: string) => secrets.get(name);
    return {
      kind: this.kinds.get(connection.kind),
      context: { connection, settings: connection.settings, member, secret, outgoing, signal, log },
    };
  }

  /** What the other system says now; its tools are kept as it offers them. */
  async examine(principal: Principal, connection: Connection, signal: AbortSignal): Promise<Verification> {
    try {
      const { kind, context } = await this.open(principal, connection, signal);
      const verification = await within(signal, kind.verify(context));
      if (verification.status === 'failed' || !kind.tools) return verification;
      const { leftOut } = await this.discovery.save(principal, connection, await within(signal, kind.tools(context)));
      return leftOut.length ? limitedBy(verification, leftOut) : verification;
    } catch (error) {
      this.log.info({ err: error, connectionId: connection.id }, 'a connection could not be verified');
      if (signal.aborted)
        return { status: 'failed', reason: `There was no answer within ${verificationMs / 1000} seconds.` };
      return { status: 'failed', reason: messageOf(error) };
    }
  }
}

function limitedBy({ reason }: Verification, leftOut: { name: string; reason: string }[]): Verification {
  const named = leftOut.slice(0, 3).map((tool) => `${tool.name || 'a nameless one'} (${tool.reason})`);
  const more = leftOut.length > named.length ? `, and ${leftOut.length - named.length} more` : '';
  return {
    status: 'limited',
    reason: [reason, `These tools cannot be used: ${named.join(', ')}${more}.`].filter(Boolean).join(' '),
  };
}
