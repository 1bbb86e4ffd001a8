import { StreamResponse, type SubscribeToTaskRequest, type SendMessageRequest } from '@a2a-js/sdk';
import { type ServerWritableStream, status } from '@grpc/grpc-js';
import { Injectable } from '@nestjs/common';
import { KeysService } from '../../../configurations/keys.service.js';
import { Log } from '../../../platform/telemetry/log.service.js';
import type { Principal } from '../../../principal/principal.js';
import { RateLimits } from '../../../tasks/rate-limits.service.js';
import { TasksService } from '../../../tasks/tasks.service.js';
import type { OpenedStream } from '../operations.service.js';
import { isHandedBack, Narration, type OpenUpdate } from '../shapes.js';

export type Stream = ServerWritableStream<SendMessageRequest | SubscribeToTaskRequest, StreamResponse>;

const recheckMs = 5000;
/** Updates that a reader leaves unread before it is let go. */
const mostUnread = 500;

/** A task's updates over gRPC: as `TaskStreams`, for a transport without server-sent events. */
@Injectable()
export class GrpcStreams {
  private readonly open = new Set<Stream>();

  constructor(
    private readonly tasks: TasksService,
    private readonly limits: RateLimits,
    private readonly keys: KeysService,
    private readonly log: Log,
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

  private follow(principal: Principal, stream: Stream, { task, first }: OpenedStream, release: () => void): void {
    if (stream.cancelled) return release();
    const narration = new Narration(task);
    const write = (update: OpenUpdate) => void stream.write(StreamResponse.fromJSON(update));
    this.open.add(stream);
    write({ task: first });
    const feed = this.tasks.follow(principal, task, task.number, (update) => {
      if (stream.writableLength > mostUnread) return refuse(stream, 'Too much was left unread; subscribe again.');
      for (const one of narration.of(update)) write(one);
      if (isHandedBack(update.status) && !update.chunk) stream.end();
    });
    const rechecks = setInterval(() => void this.recheck(principal, stream), recheckMs);
    const ended = () => {
      if (!this.open.delete(stream)) return;
      clearInterval(rechecks);
      feed.close();
      release();
    };
    stream.once('close', ended).once('cancelled', ended).once('finish', ended).once('error', ended);
    if (isHandedBack(task.status)) stream.end();
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
