import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { SealedEventsService } from '../audit/sealed-events.service.js';
import { Config } from '../platform/config/config.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { OutboxService } from '../platform/events/outbox.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { streamFailed, streamRecovered } from './audit-stream-notifications.service.js';
import { AuditStreamsService } from './audit-streams.service.js';
import { advanceStream, type LeasedStream, recordFailure, releaseLease, renewLease } from './audit-streams.sql.js';
import { claimStreams } from './audit-streams.system.sql.js';
import { eventLine, type StreamBatch } from './senders/stream-batch.js';
import { StreamFailure } from './senders/stream-failure.js';
import { StreamSenderService } from './senders/stream-sender.service.js';

const claimEveryMs = 1000;
const maxActive = 8;
/** Slow receivers of one organization leave room for others. */
const maxActivePerTenant = 2;
/** After a process was killed, another one continues its streams when this time is over. */
const leaseSeconds = 15;
/** Below the lease, so that two processes do not send the same batch. */
const sendTimeoutMs = 10_000;
const maxBatchEvents = 500;
const maxBatchBytes = 1024 * 1024;
const maxBatchHeads = 100;
/** As many halve the batch to one event. */
const maxHalvings = 9;
/** A stream with much to send lets others take their turn. */
const turnMs = 20_000;
const firstPauseSeconds = 1;
const maxPauseSeconds = 300;
const pauseAfterErrorSeconds = 30;
/** Shorter outages notify nobody. */
const outageSeconds = 3600;

/**
 * Sends audit streams. One process sends a stream at a time: it has a lease, and moves the cursor only after the
 * receiver accepted a batch. So events arrive in order and at least once, whenever processes are killed.
 */
@Injectable()
export class AuditStreamDeliveryService implements OnApplicationShutdown {
  private readonly active = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private isClaiming = false;

  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly events: SealedEventsService,
    private readonly streams: AuditStreamsService,
    private readonly sender: StreamSenderService,
    private readonly outbox: OutboxService,
    private readonly log: LogService,
  ) {}

  @Interval(claimEveryMs)
  protected async claim(): Promise<void> {
    if (!this.config.isWorker || this.isClaiming || this.stopping.signal.aborted) return;
    const free = maxActive - this.active.size;
    if (free <= 0) return;
    this.isClaiming = true;
    try {
      const token = newId();
      const claimed = await this.database.systemPool.run(claimStreams, [token, leaseSeconds, free, maxActivePerTenant]);
      for (const { tenantId, id } of claimed) {
        const sending = this.sendTurn(tenantId, id, token).finally(() => this.active.delete(sending));
        this.active.add(sending);
      }
    } catch (error) {
      this.log.error({ err: error }, 'audit streams could not be claimed; the next attempt follows');
    } finally {
      this.isClaiming = false;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.active);
  }

  private async sendTurn(tenantId: string, id: string, token: string): Promise<void> {
    let pause = 0;
    try {
      const end = Date.now() + turnMs;
      let limit = maxBatchEvents;
      while (limit && Date.now() < end && !this.stopping.signal.aborted)
        limit = await this.sendNext(tenantId, id, token, limit);
    } catch (error) {
      pause = pauseAfterErrorSeconds;
      this.log.error({ err: error, tenantId, stream: id }, 'an audit stream was interrupted; it continues later');
    } finally {
      await this.release(tenantId, id, token, pause);
    }
  }

  private async release(tenantId: string, id: string, token: string, pause: number): Promise<void> {
    try {
      await this.database.tenant({ tenantId }, (tx) => tx.execute(releaseLease, [tenantId, id, token, pause]));
    } catch (error) {
      this.log.error({ err: error, tenantId, stream: id }, 'an audit stream is released when its lease ends');
    }
  }

  /** Returns the limit of the next batch. 0: there is nothing to send, or the receiver did not accept it. */
  private async sendNext(tenantId: string, id: string, token: string, limit: number): Promise<number> {
    const stream = await this.database.tenant({ tenantId }, (tx) =>
      tx.one(renewLease, [tenantId, id, token, leaseSeconds]),
    );
    if (!stream) return 0;
    const batch = await this.readBatch(
      stream,
      Math.min(limit, Math.max(1, maxBatchEvents >> Math.min(stream.attempts, maxHalvings))),
    );
    if (!batch) return 0;
    const { events, heads } = batch;
    const signal = AbortSignal.any([AbortSignal.timeout(sendTimeoutMs), this.stopping.signal]);
    try {
      await this.sender.send(stream.kind, batch, this.streams.openSettings(stream), signal);
    } catch (error) {
      if (this.stopping.signal.aborted) return 0;
      const count = events.length + heads.length;
      // nothing says which records were rejected: fewer at a time show it
      if (error instanceof StreamFailure && error.isRejection && count > 1) return Math.max(1, events.length >> 1);
      await this.recordFailure(stream, token, error, batch);
      return 0;
    }
    const next = events.length ? events.at(-1)!.position + 1 : stream.position;
    const headSize = heads.at(-1)?.size ?? stream.headSize;
    const skipped = next - stream.position - events.length;
    const isMine = await this.database.tenant({ tenantId }, async (tx) => {
      const advanced = await tx.execute(advanceStream, [tenantId, id, token, next, headSize, events.length, skipped]);
      if (advanced && stream.isOutageNotified) await this.outbox.write(tx, tenantId, streamRecovered, { streamId: id });
      return advanced;
    });
    return isMine === 1 ? limit : 0;
  }

  private async readBatch(stream: LeasedStream, limit: number): Promise<StreamBatch | null> {
    const { tenantId, id, position, headSize } = stream;
    if (limit === 1) {
      const next = await this.events.findNext(tenantId, position, headSize);
      return next && { id: `${id}_${position}_${headSize}_single`, tenantId, ...next };
    }
    const found = await this.events.list(tenantId, position, limit);
    let bytes = 0;
    const events = found.filter((event, index) => (bytes += eventLine(event).length) <= maxBatchBytes || index === 0);
    const size = events.length ? events.at(-1)!.position + 1 : position;
    const heads = await this.events.listHeads(tenantId, headSize, size, maxBatchHeads);
    if (!events.length && !heads.length) return null;
    return { id: `${id}_${position}_${size}_${heads.at(-1)?.size ?? 0}`, tenantId, events, heads };
  }

  private async recordFailure(stream: LeasedStream, token: string, error: unknown, batch: StreamBatch): Promise<void> {
    const { tenantId, id, attempts } = stream;
    const failure = this.toFailure(error, stream);
    const pause = Math.min(maxPauseSeconds, firstPauseSeconds * 2 ** attempts);
    const seconds = Math.max(failure.retryAfterSeconds, pause);
    // a rejected batch has a single record
    const rejected = failure.isRejection
      ? ([batch.events[0]?.position ?? null, batch.heads[0]?.size ?? null] as const)
      : ([null, null] as const);
    const reason = storable(failure.message);
    await this.database.tenant({ tenantId }, async (tx) => {
      const recorded = await tx.one(recordFailure, [tenantId, id, token, reason, seconds, ...rejected, outageSeconds]);
      if (recorded?.isNewOutage) await this.outbox.write(tx, tenantId, streamFailed, { streamId: id });
    });
  }

  private toFailure(error: unknown, { tenantId, id }: LeasedStream): StreamFailure {
    if (error instanceof StreamFailure) return error;
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return new StreamFailure('The receiver did not accept the events in time.');
    this.log.error({ err: error, tenantId, stream: id }, 'an audit stream could not be sent');
    return new StreamFailure('An internal error; see the log of the server.');
  }
}

/** A receiver can answer with anything; PostgreSQL stores no NUL and no half of a surrogate pair. */
const storable = (message: string) =>
  message
    .replace(/\p{C}+/gu, ' ')
    .slice(0, 500)
    .toWellFormed();
