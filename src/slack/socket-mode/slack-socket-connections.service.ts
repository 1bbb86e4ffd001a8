import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DeliveryFailure } from '../../notifications/slack-api-client.service.js';
import { Config } from '../../platform/config/config.js';
import { newId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import { Problem } from '../../platform/errors/problem.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { type SlackSocketConnection, SlackSocketClient } from './slack-socket-client.service.js';
import { SlackEnvelopesService } from './slack-envelopes.service.js';
import {
  type LeasedSlackSocket,
  recordSlackSocketConnected,
  releaseSlackSocket,
  renewSlackSocket,
} from './slack-sockets.sql.js';
import { claimSlackSockets } from './slack-sockets.system.sql.js';
import { SlackSocketsService } from '../slack-sockets.service.js';

const claimEveryMs = 1000;
const maxConnections = 200;
/** After a process was killed, another one connects when this time is over. */
const leaseSeconds = 15;
const renewEveryMs = 4000;
const firstPauseSeconds = 1;
const maxPauseSeconds = 60;
/** Slack refuses the token, until somebody changes it or the settings of the app. */
const refusedPauseSeconds = 300;
/** Backoff restarts after a connection that lasted this long. */
const stableMs = 60_000;
/** Limits how often a server can request a new connection. */
const minLifeMs = 1000;

/**
 * Holds a connection to Slack for each organization with an app-level token. Exactly one process holds it: it has a
 * lease. A second connection exists only for the moments in which Slack asks for a new one.
 */
@Injectable()
export class SlackSocketConnectionsService implements OnApplicationShutdown {
  private readonly held = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private isClaiming = false;

  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly sockets: SlackSocketsService,
    private readonly client: SlackSocketClient,
    private readonly envelopes: SlackEnvelopesService,
    private readonly log: LogService,
  ) {}

  @Interval(claimEveryMs)
  protected async claim(): Promise<void> {
    if (!this.config.isWorker || this.isClaiming || this.stopping.signal.aborted) return;
    const free = maxConnections - this.held.size;
    if (free <= 0) return;
    this.isClaiming = true;
    try {
      const lease = newId();
      const claimed = await this.database.systemPool.run(claimSlackSockets, [lease, leaseSeconds, free]);
      for (const { tenantId } of claimed) {
        const holding = this.hold(tenantId, lease).finally(() => this.held.delete(holding));
        this.held.add(holding);
      }
    } catch (error) {
      this.log.error({ err: error }, 'connections to Slack could not be claimed; the next attempt follows');
    } finally {
      this.isClaiming = false;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.held);
  }

  private async hold(tenantId: string, lease: string): Promise<void> {
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, this.stopping.signal]);
    const startedAt = Date.now();
    let renewal: NodeJS.Timeout | undefined;
    try {
      const socket = await this.renew(tenantId, lease);
      if (!socket) return;
      renewal = this.keepLease(tenantId, lease, lost);
      const failure = await this.stayConnected(socket, lease, signal).catch((error: unknown) =>
        signal.aborted ? null : this.toFailure(error, tenantId),
      );
      if (!lost.signal.aborted) await this.release(socket, lease, failure, Date.now() - startedAt);
    } catch (error) {
      this.log.error({ err: error, tenantId }, 'a connection to Slack is released when its lease ends');
    } finally {
      clearInterval(renewal);
    }
  }

  /** Without a lease, another process may hold the connection already. */
  private keepLease(tenantId: string, lease: string, lost: AbortController): NodeJS.Timeout {
    let renewedAt = Date.now();
    return setInterval(() => {
      const now = Date.now();
      if (now - renewedAt > leaseSeconds * 1000 - renewEveryMs) lost.abort();
      this.renew(tenantId, lease)
        .then((socket) => (socket ? (renewedAt = now) : lost.abort()))
        .catch((error: unknown) =>
          this.log.warn({ err: error, tenantId }, 'the lease of a connection to Slack could not be renewed'),
        );
    }, renewEveryMs);
  }

  private renew(tenantId: string, lease: string): Promise<LeasedSlackSocket | null> {
    return this.database.tenant({ tenantId }, (tx) => tx.one(renewSlackSocket, [tenantId, lease, leaseSeconds]));
  }

  /** Returns null after an abort, and the failure otherwise. */
  private async stayConnected(
    socket: LeasedSlackSocket,
    lease: string,
    signal: AbortSignal,
  ): Promise<DeliveryFailure | null> {
    const { tenantId, revision } = socket;
    const token = this.sockets.openToken(socket);
    const work = new Set<Promise<void>>();
    const open = async (): Promise<SlackSocketConnection> => {
      const opened = await this.client.open(
        await this.sockets.requestUrl(token),
        (connection, envelope) => {
          const handling = this.envelopes
            .handle({ tenantId, revision, slackAppId: connection.slackAppId }, connection, envelope)
            .finally(() => work.delete(handling));
          work.add(handling);
        },
        signal,
      );
      try {
        await this.database.tenant({ tenantId }, (tx) => tx.execute(recordSlackSocketConnected, [tenantId, lease]));
        return opened;
      } catch (error) {
        opened.close();
        throw error;
      }
    };
    let current = await open();
    try {
      for (;;) {
        const openedAt = Date.now();
        const end = await current.ended;
        if (signal.aborted) return null;
        if (end === 'disabled')
          return new DeliveryFailure('Socket mode is turned off in the settings of the Slack app.', true);
        if (end === 'closed') return new DeliveryFailure('Slack closed the connection, or it was lost.', false);
        await delay(Math.max(0, openedAt + minLifeMs - Date.now()), undefined, { signal });
        const next = await open();
        current.close();
        current = next;
      }
    } finally {
      current.close();
      await Promise.all(work);
    }
  }

  private async release(
    { tenantId, attempts }: LeasedSlackSocket,
    lease: string,
    failure: DeliveryFailure | null,
    lastedMs: number,
  ): Promise<void> {
    const failed = lastedMs > stableMs ? 1 : attempts + 1;
    const backoff = Math.min(maxPauseSeconds, firstPauseSeconds * 2 ** Math.min(failed - 1, 10)) * (1 + Math.random());
    const requested = (failure?.retryAfterMs ?? 0) / 1000;
    const pause = failure ? Math.max(failure.isPermanent ? refusedPauseSeconds : backoff, requested) : 0;
    const reason = failure?.message.slice(0, 500) ?? null;
    await this.database.tenant({ tenantId }, (tx) =>
      tx.execute(releaseSlackSocket, [tenantId, lease, failure ? failed : 0, reason, pause]),
    );
  }

  private toFailure(error: unknown, tenantId: string): DeliveryFailure {
    if (error instanceof DeliveryFailure) return error;
    // the master key was lost
    if (error instanceof Problem) return new DeliveryFailure(error.message, true);
    this.log.error({ err: error, tenantId }, 'a connection to Slack failed');
    return new DeliveryFailure('An internal error; see the log of the server.', false);
  }
}
