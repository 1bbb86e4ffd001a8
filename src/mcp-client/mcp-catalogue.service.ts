import { Injectable, type OnModuleInit } from '@nestjs/common';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { decodeUpstreamChange } from '../connections/catalogue-change.port.js';
import type { ResourceFollower, Listings } from '../connections/connector-registry.service.js';
import { withinDeadline } from '../platform/events/within-deadline.js';
import { upstreamCatalogueTopic, connectionsTopic } from '../connections/connections.events.js';
import { upstreamCalls } from './upstream-call.js';
import { McpClientPool } from './mcp-client-pool.service.js';
import type { McpTarget } from './mcp-target.js';
import { fetchListing } from './mcp-listings.js';

const cacheTtlMs = 30_000;
const maxCachedMcpListings = 1000;
const cachedListings = ['resources', 'templates', 'prompts'] as const;

interface CachedListing {
  connectionId: string;
  listing: keyof Listings;
  until: number;
  items: Promise<Listings[keyof Listings][]>;
}

/** Lists of servers, cached briefly per credential; a credential never sees what another one listed. */
@Injectable()
export class McpCatalogueService implements OnModuleInit {
  private readonly cache = new Map<string, CachedListing>();

  constructor(
    private readonly clients: McpClientPool,
    private readonly wakeupChannel: WakeupChannel,
  ) {}

  onModuleInit(): void {
    this.wakeupChannel.subscribe(
      connectionsTopic,
      (ids) => ids !== 'all' && ids.forEach((id) => this.evict(id, cachedListings)),
    );
    this.wakeupChannel.subscribe(upstreamCatalogueTopic, (ids) => {
      for (const { connectionId, change } of ids === 'all' ? [] : ids.map(decodeUpstreamChange)) {
        if (change === 'resources') this.evict(connectionId, ['resources', 'templates']);
        if (change === 'prompts') this.evict(connectionId, ['prompts']);
      }
    });
  }

  /** Concurrent callers share one request; all of them get its failure, which is not cached. */
  async list<L extends keyof Listings>(target: McpTarget, listing: L, signal: AbortSignal): Promise<Listings[L][]> {
    const key = `${listing}/${target.key}`;
    const known = this.cache.get(key);
    if (known && known.until > Date.now()) return withinDeadline(signal, known.items) as Promise<Listings[L][]>;
    const { connectionId, timeoutMs } = target;
    const items = this.clients.use(target, AbortSignal.timeout(timeoutMs), (client, signal) =>
      fetchListing(client, listing, { signal, timeout: timeoutMs }),
    );
    const entry = { connectionId, listing, until: Date.now() + timeoutMs + cacheTtlMs, items };
    this.store(key, entry);
    items.then(
      () => (entry.until = Date.now() + cacheTtlMs),
      () => this.cache.get(key) === entry && this.cache.delete(key),
    );
    return withinDeadline(signal, items);
  }

  /** Holds the client open until the subscription ends. */
  follow(target: McpTarget, uri: string, { onReady, onUpdate }: ResourceFollower, signal: AbortSignal): Promise<void> {
    const { timeoutMs: timeout } = target;
    return this.clients.use(target, signal, ({ changeListener }) =>
      // subscriptions are shared, so they belong to no single call
      upstreamCalls.exit(async () => {
        await changeListener.follow(uri, onUpdate, { signal, timeout });
        onReady();
        try {
          await withinDeadline(signal, changeListener.lost);
        } finally {
          await changeListener.unfollow(uri, onUpdate, { timeout });
        }
      }),
    );
  }

  private store(key: string, entry: CachedListing): void {
    this.cache.delete(key);
    this.cache.set(key, entry);
    const [oldest] = this.cache.keys();
    if (this.cache.size > maxCachedMcpListings) this.cache.delete(oldest);
  }

  private evict(connectionId: string, which: readonly (keyof Listings)[]): void {
    for (const [key, entry] of this.cache)
      if (entry.connectionId === connectionId && which.includes(entry.listing)) this.cache.delete(key);
  }
}
