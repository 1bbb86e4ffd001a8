import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { sha256 } from '../platform/crypto/digest.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import type { Principal } from '../principal/principal.js';
import { sessionOwnerOf } from './exchanges.sql.js';
import {
  addSubscription,
  endSession,
  endExcessSessions,
  findSession,
  insertSession,
  type McpSession,
  removeSubscription,
  setLogLevel,
  setShown,
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
    const party = sessionOwnerOf(principal);
    await this.database.tenant(principal, async (tx) => {
      await insertSession(tx, party, { ...session, tokenHash: sha256(token) });
      await endExcessSessions(tx, party);
    });
    return token;
  }

  /** Null: the caller has no such session, or it has ended. */
  find(principal: Principal, token: string): Promise<McpSession | null> {
    return findSession(this.database.appPool, sessionOwnerOf(principal), sha256(token), mcpSessionIdleSeconds);
  }

  end(principal: Principal, id: string): Promise<void> {
    return this.changeAndNotify(principal, id, (tx) => endSession(tx, principal.tenantId, id));
  }

  setLogLevel(principal: Principal, id: string, level: string): Promise<void> {
    return this.changeAndNotify(principal, id, (tx) => setLogLevel(tx, principal.tenantId, id, level));
  }

  async setShown(principal: Principal, id: string, shown: object): Promise<void> {
    await this.database.tenant(principal, (tx) => setShown(tx, principal.tenantId, id, shown));
  }

  subscribe(principal: Principal, id: string, uri: string): Promise<void> {
    return this.changeAndNotify(principal, id, (tx) => addSubscription(tx, principal.tenantId, id, uri));
  }

  unsubscribe(principal: Principal, id: string, uri: string): Promise<void> {
    return this.changeAndNotify(principal, id, (tx) => removeSubscription(tx, principal.tenantId, id, uri));
  }

  private changeAndNotify(principal: Principal, id: string, run: (tx: Tx) => Promise<unknown>): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      await run(tx);
      tx.afterCommit(() => this.wakeupChannel.publish(sessionsTopic, id));
    });
  }
}
