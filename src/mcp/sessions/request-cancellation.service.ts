import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sha256 } from '../../platform/crypto/digest.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import type { RpcRequest } from './messages.js';

const cancellationTopic = 'mcp.cancel';

/** Requests of sessions that this process works on, for the client that takes one back at another process. */
@Injectable()
export class RequestCancellationService implements OnModuleInit {
  private readonly requests = new Map<string, () => void>();

  constructor(private readonly wakeupChannel: WakeupChannel) {}

  onModuleInit(): void {
    // a cancellation is a wish: where the wake-up is lost, so is it
    this.wakeupChannel.subscribe(cancellationTopic, (keys) => {
      if (keys !== 'all') for (const key of keys) this.requests.get(key)?.();
    });
  }

  /** Answers how to leave again. */
  register(sessionId: string, id: RpcRequest['id'], cancel: () => void): () => void {
    const key = keyOf(sessionId, id);
    this.requests.set(key, cancel);
    return () => {
      if (this.requests.get(key) === cancel) this.requests.delete(key);
    };
  }

  cancel(sessionId: string, id: unknown): void {
    this.wakeupChannel.publish(cancellationTopic, keyOf(sessionId, id));
  }
}

const keyOf = (sessionId: string, id: unknown) =>
  sha256(`${sessionId} ${JSON.stringify(id)}`)
    .subarray(0, 16)
    .toString('base64url');
