import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sha256 } from '../../platform/crypto/digest.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import type { RpcRequest } from './messages.js';

const cancellationTopic = 'mcp.cancel';

/** Session requests that run in this process. A client can cancel them through any process. */
@Injectable()
export class RequestCancellationService implements OnModuleInit {
  private readonly requests = new Map<string, () => void>();

  constructor(private readonly wakeupChannel: WakeupChannel) {}

  onModuleInit(): void {
    // Cancellation is best effort: a lost wake-up loses it.
    this.wakeupChannel.subscribe(cancellationTopic, (keys) => {
      if (keys !== 'all') for (const key of keys) this.requests.get(key)?.();
    });
  }

  /** Returns the function that unregisters. */
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
