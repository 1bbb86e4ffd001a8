import { StreamResponse, type SubscribeToTaskRequest, type SendMessageRequest } from '@a2a-js/sdk';
import { type ServerWritableStream, status } from '@grpc/grpc-js';
import { Injectable } from '@nestjs/common';
import { KeysService } from '../../../configurations/keys.service.js';
import { Config } from '../../../platform/config/config.js';
import { Log } from '../../../platform/telemetry/log.service.js';
import { Metrics } from '../../../platform/telemetry/metrics.service.js';
import type { Principal } from '../../../principal/principal.js';
import { RateLimits } from '../../../tasks/rate-limits.service.js';
import { TasksService } from '../../../tasks/tasks.service.js';
import type { OpenedStream } from '../operations.service.js';
import { isLastOf, Narration, type OpenUpdate } from '../shapes.js';

export type Stream = ServerWritableStream<SendMessageRequest | SubscribeToTaskRequest, StreamResponse>;

const recheckMs = 5000;

/** A task's updates over gRPC: as `TaskStreams`, for a transport without server-sent events. */
@Injectable()
export class GrpcStreams {
  private readonly open = new Set<Stream>();

  constructor(
    private readonly tasks: TasksService,
    private readonly limits: RateLimits,
    private readonly keys: KeysService,
    private readonly log: Log,
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {}

  async tell(principal: Principal, stream: Stream, begin: () => Promise<OpenedStream>): Promise<void> {
    const slot = this.limits.openStream(principal);
    try {
      this.follow(principal, stream, await begin(), () => slot.release());
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  /** So that a server that stops does not wait for its readers. */
  closeAll(): void {
    for (const stream of this.open) stream.end();
  }

  private follow(
    principal: Principal,
    stream: Stream,
    { task, first, isToEnd }: OpenedStream,
    release: () => void,
  ): void {
    if (stream.cancelled) return release();
    const { maxBufferedBytes } = this.config.stream;
    const narration = new Narration(task);
    const isLast = isLastOf(isToEnd);
    const unread = new Unread(stream);
    this.open.add(stream);
    this.metrics.streams.inc();
    unread.write({ task: first });
    const feed = this.tasks.follow(principal, task, task.number, (update) => {
      if (stream.writableEnded) return;
      if (unread.bytes > maxBufferedBytes) return refuse(stream, 'Too much was left unread; subscribe again.');
      for (const one of narration.of(update)) unread.write(one);
      if (isLast(update)) stream.end();
    });
    const rechecks = setInterval(() => void this.recheck(principal, stream), recheckMs);
    const silence = () => {
      clearInterval(rechecks);
      feed.close();
    };
    // whoever is let go has its place until it has read that, or has left
    const ended = () => {
      silence();
      if (!this.open.delete(stream)) return;
      this.metrics.streams.dec();
      release();
    };
    stream.once('error', silence).once('finish', ended).once('close', ended).once('cancelled', ended);
    if (isLast(task)) stream.end();
  }

  /** A stream may last for days, and what opened it may not. */
  private async recheck(principal: Principal, stream: Stream): Promise<void> {
    try {
      if (await this.keys.whyClosed(principal)) stream.end();
    } catch (error) {
      this.log.warn({ err: error }, 'who reads a stream could not be checked; it is checked again');
    }
  }
}

const refuse = (stream: Stream, details: string) =>
  void stream.emit('error', { code: status.RESOURCE_EXHAUSTED, details });

/** What a reader has not taken yet. What is written to one that keeps up is not counted. */
class Unread {
  bytes = 0;

  constructor(private readonly stream: Stream) {}

  write(update: OpenUpdate): void {
    const length = this.stream.writableLength ? JSON.stringify(update).length : 0;
    this.bytes += length;
    this.stream.write(StreamResponse.fromJSON(update), () => (this.bytes -= length));
  }
}
