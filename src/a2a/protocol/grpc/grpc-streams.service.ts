import { StreamResponse, type SubscribeToTaskRequest, type SendMessageRequest } from '@a2a-js/sdk';
import { type ServerWritableStream, status } from '@grpc/grpc-js';
import { Injectable } from '@nestjs/common';
import { KeysService } from '../../../configurations/keys.service.js';
import { Config } from '../../../platform/config/config.js';
import { LogService } from '../../../platform/telemetry/log.service.js';
import { MetricsService } from '../../../platform/telemetry/metrics.service.js';
import type { Principal } from '../../../principal/principal.js';
import { RateLimitsService } from '../../../limits/rate-limits.service.js';
import { TasksService } from '../../../tasks/tasks.service.js';
import type { OpenedStream } from '../a2a-operations.service.js';
import { isLastUpdate, TaskUpdateMapper, type A2aStreamResponse } from '../task-mapping.js';

export type GrpcTaskStream = ServerWritableStream<SendMessageRequest | SubscribeToTaskRequest, StreamResponse>;

const grpcRevalidateMs = 5000;

/** Streams task updates over gRPC. The counterpart of `TaskStreamsService`, which uses server-sent events. */
@Injectable()
export class GrpcStreamsService {
  private readonly openStreams = new Set<GrpcTaskStream>();

  constructor(
    private readonly tasks: TasksService,
    private readonly limits: RateLimitsService,
    private readonly keys: KeysService,
    private readonly log: LogService,
    private readonly config: Config,
    private readonly metrics: MetricsService,
  ) {}

  async serve(principal: Principal, stream: GrpcTaskStream, begin: () => Promise<OpenedStream>): Promise<void> {
    const slot = this.limits.openStream(principal);
    try {
      this.follow(principal, stream, await begin(), () => slot.release());
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  /** Lets the server stop without waiting for its readers. */
  closeAll(): void {
    for (const stream of this.openStreams) stream.end();
  }

  private follow(
    principal: Principal,
    stream: GrpcTaskStream,
    { task, first, isOpenUntilTerminal }: OpenedStream,
    release: () => void,
  ): void {
    if (stream.cancelled) return release();
    const { maxBufferedBytes } = this.config.stream;
    const mapper = new TaskUpdateMapper(task);
    const isLast = isLastUpdate(isOpenUntilTerminal);
    const buffered = new BufferedGrpcStream(stream);
    this.openStreams.add(stream);
    this.metrics.streams.inc();
    buffered.write({ task: first });
    const feed = this.tasks.follow(principal, task, task.number, (update) => {
      if (stream.writableEnded) return;
      if (buffered.bytes > maxBufferedBytes)
        return failSlowStream(stream, 'The client reads too slowly. Subscribe again.');
      for (const one of mapper.toStreamResponses(update)) buffered.write(one);
      if (isLast(update)) stream.end();
    });
    const revalidationTimer = setInterval(() => void this.revalidate(principal, stream), grpcRevalidateMs);
    const stopFeed = () => {
      clearInterval(revalidationTimer);
      feed.close();
    };
    // a failed stream occupies its slot until the client has read the error or disconnected
    const ended = () => {
      stopFeed();
      if (!this.openStreams.delete(stream)) return;
      this.metrics.streams.dec();
      release();
    };
    stream.once('error', stopFeed).once('finish', ended).once('close', ended).once('cancelled', ended);
    if (isLast(task)) stream.end();
  }

  /** A stream may outlive the key that opened it. */
  private async revalidate(principal: Principal, stream: GrpcTaskStream): Promise<void> {
    try {
      if (await this.keys.revalidate(principal)) stream.end();
    } catch (error) {
      this.log.warn({ err: error }, 'key of a stream could not be revalidated; retrying');
    }
  }
}

const failSlowStream = (stream: GrpcTaskStream, details: string) =>
  void stream.emit('error', { code: status.RESOURCE_EXHAUSTED, details });

/** Estimates the unread bytes. Serializes an update for the count only if a backlog exists. */
class BufferedGrpcStream {
  bytes = 0;

  constructor(private readonly stream: GrpcTaskStream) {}

  write(update: A2aStreamResponse): void {
    const length = this.stream.writableLength ? JSON.stringify(update).length : 0;
    this.bytes += length;
    this.stream.write(StreamResponse.fromJSON(update), () => (this.bytes -= length));
  }
}
