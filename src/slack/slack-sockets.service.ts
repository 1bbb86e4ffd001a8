import { Injectable } from '@nestjs/common';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { DeliveryFailure, SlackApiClient } from '../notifications/slack-api-client.service.js';
import { SlackSecretHoldersService } from '../notifications/slack-secret-holders.service.js';
import { newId } from '../platform/crypto/ids.js';
import { MasterKeyMismatch, SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { SlackSocket } from './slack-socket.entity.js';

export interface SlackSocketState {
  isConnected: boolean;
  /** Since when it is connected, or not. */
  since: Date;
  lastError: string | null;
}

/** The app-level token with which the server connects to Slack, for servers that Slack cannot reach. */
@Injectable()
export class SlackSocketsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly seal: SealService,
    private readonly audit: AuditService,
    private readonly secretHolders: SlackSecretHoldersService,
    private readonly slack: SlackApiClient,
  ) {}

  /** Replaces a token. The member who enters it counts as able to decide, as with the other secrets of the app. */
  async setToken(principal: Principal, text: string): Promise<void> {
    const { tenantId, memberId } = requireSession(principal);
    const token = text.trim();
    if (!token.startsWith('xapp-')) throw refusedToken('must be an app-level token, which starts with xapp-');
    await this.requestUrl(token).catch((error: unknown) => {
      throw error instanceof DeliveryFailure ? refusedToken(`was not accepted: ${error.message}`) : error;
    });
    const now = new Date();
    const socket: SlackSocket = {
      tenantId,
      revision: newId(),
      sealedToken: this.seal.seal(token, sealContextOf(tenantId)),
      createdBy: memberId,
      connectedAt: null,
      disconnectedAt: now,
      attempts: 0,
      lastError: null,
      nextAttemptAt: now,
      leaseToken: null,
      leaseUntil: null,
    };
    await this.database.tenant(principal, async (tx) => {
      await tx.upsert(SlackSocket, socket, ['tenantId']);
      await this.secretHolders.add(tx, tenantId, [token], memberId);
      await this.record(tx, principal, 'tenant.slack_socket_set');
    });
  }

  async remove(principal: Principal): Promise<void> {
    requireSession(principal);
    const { tenantId } = principal;
    await this.database.tenant(principal, async (tx) => {
      const { affected } = await tx.delete(SlackSocket, { tenantId });
      if (affected) await this.record(tx, principal, 'tenant.slack_socket_removed');
    });
  }

  /** Null: Slack sends signed requests. */
  async findState(tx: Tx, tenantId: string): Promise<SlackSocketState | null> {
    const socket = await tx.findOneBy(SlackSocket, { tenantId });
    if (!socket) return null;
    const { connectedAt, disconnectedAt, leaseUntil, lastError } = socket;
    // the process was killed, and no other one has connected yet
    const isLost = connectedAt !== null && (leaseUntil === null || leaseUntil < new Date());
    return {
      isConnected: connectedAt !== null && !isLost,
      since: (isLost ? leaseUntil : null) ?? connectedAt ?? disconnectedAt!,
      lastError,
    };
  }

  /** Where a connection can be opened. Rejects with `DeliveryFailure` if Slack does not accept the token. */
  async requestUrl(token: string): Promise<string> {
    const { url } = await this.slack.call(token, 'apps.connections.open', {});
    if (!url) throw new DeliveryFailure("Slack's answer to apps.connections.open has no address.", false);
    return url;
  }

  openToken({ tenantId, sealedToken }: Pick<SlackSocket, 'tenantId' | 'sealedToken'>): string {
    return this.seal.open(sealedToken, sealContextOf(tenantId)).toString();
  }

  /** Every member who entered the token. Null: an unknown member. */
  async listHolders(tx: Tx, tenantId: string): Promise<(string | null)[]> {
    const socket = await tx.findOneBy(SlackSocket, { tenantId });
    if (!socket) return [];
    try {
      const others = await this.secretHolders.list(tx, tenantId, [this.openToken(socket)]);
      return [socket.createdBy, ...others];
    } catch (error) {
      if (error instanceof MasterKeyMismatch) return [null];
      throw error;
    }
  }

  /** Whether the organization still has the token with which a connection was opened. */
  isCurrent(tx: Tx, tenantId: string, revision: string): Promise<boolean> {
    return tx.existsBy(SlackSocket, { tenantId, revision });
  }

  private record(tx: Tx, principal: Principal, kind: string): Promise<void> {
    return this.audit.record(tx, principal, { kind, subject: { type: 'tenant', id: principal.tenantId } });
  }
}

const sealContextOf = (row: string) => ({ table: 'slack_sockets', column: 'sealed_token', row });

const refusedToken = (detail: string) =>
  invalidRequest('Check the app-level token.', { errors: [{ pointer: '/token', detail }] });
