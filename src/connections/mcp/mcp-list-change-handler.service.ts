import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { systemPrincipal } from '../../principal/principal.js';
import { type ChangedList, encodeUpstreamChange } from '../catalogue-change.js';
import { ConnectionsService } from '../connections.service.js';
import { upstreamCatalogueTopic } from '../topics.js';
import type { McpTarget } from './mcp-target.js';
import { TokenBucket } from './token-bucket.js';

/** Several changes in a row are one. */
const listChangeDebounceMs = 200;
/** No server makes us look more often than this, whatever it tells: five times, then every five seconds. */
const changeRate = [5, 0.2] as const;
const throttledMs = 5000;
const maxBuckets = 3000;

/** What servers say is new: its tools are looked at at once, whoever shows its lists is told. */
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

  /** What is found is told by whoever keeps the tools. */
  private async rediscover({ tenantId, connectionId }: McpTarget): Promise<void> {
    try {
      await this.connections.verify(systemPrincipal(tenantId, 'connections'), connectionId);
    } catch (error) {
      this.log.info({ err: error, connectionId }, 'a server told of other tools, and could not be asked for them');
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
