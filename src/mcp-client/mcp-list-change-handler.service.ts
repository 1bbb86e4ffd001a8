import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { type ChangedList, encodeUpstreamChange } from '../connections/catalogue-change.port.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { upstreamCatalogueTopic } from '../connections/connections.events.js';
import type { McpTarget } from './mcp-target.js';
import { TokenBucket } from './token-bucket.js';

/** Changes in quick succession are handled together. */
const listChangeDebounceMs = 200;
/** Limits how often a server can trigger a discovery: five times, then every five seconds. */
const changeRate = [5, 0.2] as const;
const throttledMs = 5000;
const maxBuckets = 3000;

/** Handles change notifications of servers: discovers tools again, and publishes changes of other lists. */
@Injectable()
export class McpListChangeHandler implements OnModuleDestroy {
  private readonly buckets = new Map<string, TokenBucket>();
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly connections: ConnectionsService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly log: LogService,
  ) {}

  onModuleDestroy(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  onListChanged(target: McpTarget, list: ChangedList): void {
    const key = `${target.connectionId} ${list}`;
    if (this.timers.has(key)) return;
    const waitMs = this.bucketOf(key).tryTake() ? listChangeDebounceMs : throttledMs;
    const act = () => {
      this.timers.delete(key);
      if (list === 'tools') void this.rediscover(target);
      else
        this.wakeupChannel.publish(
          upstreamCatalogueTopic,
          encodeUpstreamChange({ connectionId: target.connectionId, change: list }),
        );
    };
    this.timers.set(key, setTimeout(act, waitMs).unref());
  }

  /** Saving the discovered tools publishes their changes. */
  private async rediscover({ tenantId, connectionId }: McpTarget): Promise<void> {
    try {
      await this.connections.verify(systemPrincipal(tenantId, 'connections'), connectionId);
    } catch (error) {
      this.log.info({ err: error, connectionId }, 'changed tools could not be discovered');
    }
  }

  private bucketOf(key: string): TokenBucket {
    const bucket = this.buckets.get(key) ?? new TokenBucket(...changeRate);
    this.buckets.delete(key);
    this.buckets.set(key, bucket);
    const [oldest] = this.buckets.keys();
    if (this.buckets.size > maxBuckets) this.buckets.delete(oldest);
    return bucket;
  }
}
