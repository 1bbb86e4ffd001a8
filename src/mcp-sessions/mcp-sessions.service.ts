import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { sha256 } from '../platform/crypto/digest.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import type { Principal } from '../principal/principal.js';
import { ownerParamsOf } from './exchanges.sql.js';
import {
  addSubscription,
  endSession,
  endExcessSessions,
  findSession,
  insertSession,
  type McpSession,
  removeSubscription,
  updateLogLevel,
  updateShown,
} from './mcp-sessions.sql.js';
import { sessionsTopic } from './topics.js';

export type { McpSession };

export const mcpSessionIdleSeconds = 24 * 60 * 60;

/** Sessions of MCP clients, usable from any process. A session belongs to one member, client and configuration. */
@Injectable()
export class McpSessionsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
  ) {}

  /** Returns the session token. Only its hash is stored. */
  async create(
    principal: Principal,
    session: Pick<McpSession, 'id' | 'protocolVersion' | 'initialize'>,
  ): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const owner = ownerParamsOf(principal);
    const { id, protocolVersion, initialize } = session;
    await this.database.tenant(principal, async (tx) => {
      await tx.execute(insertSession, [...owner, id, sha256(token), protocolVersion, initialize]);
      const [tenantId, memberId, clientId] = owner;
      await tx.execute(endExcessSessions, [tenantId, memberId, clientId]);
    });
    return token;
  }

  /** Null: the caller has no such session, or it has ended. */
  find(principal: Principal, token: string): Promise<McpSession | null> {
    const [tenantId, ...owner] = ownerParamsOf(principal);
    return this.database.appPool.one(findSession, [tenantId, sha256(token), ...owner, mcpSessionIdleSeconds]);
  }

  end(principal: Principal, id: string): Promise<void> {
    return this.changeAndNotify(principal, id, (tx) => tx.execute(endSession, [principal.tenantId, id]));
  }

  setLogLevel(principal: Principal, id: string, level: string): Promise<void> {
    return this.changeAndNotify(principal, id, (tx) => tx.execute(updateLogLevel, [principal.tenantId, id, level]));
  }

  async setShown(principal: Principal, id: string, shown: object): Promise<void> {
    await this.database.tenant(principal, (tx) => tx.execute(updateShown, [principal.tenantId, id, shown]));
  }

  subscribe(principal: Principal, id: string, uri: string): Promise<void> {
    return this.changeAndNotify(principal, id, (tx) => tx.execute(addSubscription, [principal.tenantId, id, uri]));
  }

  unsubscribe(principal: Principal, id: string, uri: string): Promise<void> {
    return this.changeAndNotify(principal, id, (tx) => tx.execute(removeSubscription, [principal.tenantId, id, uri]));
  }

  private changeAndNotify(principal: Principal, id: string, run: (tx: Tx) => Promise<unknown>): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      await run(tx);
      tx.afterCommit(() => this.wakeupChannel.publish(sessionsTopic, id));
    });
  }
}
