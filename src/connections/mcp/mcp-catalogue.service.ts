import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Wakes } from '../../platform/events/wakes.service.js';
import { fromWake } from '../catalogue-change.js';
import type { Follower, Listings } from '../connection-kinds.service.js';
import { within } from '../deadline.js';
import { catalogueTopic, connectionsTopic } from '../topics.js';
import { journeys } from './journey.js';
import { McpClients } from './mcp-clients.service.js';
import type { McpTarget } from './mcp-target.js';
import { listingOf } from './mcp-listings.js';

const freshMs = 30_000;
const mostKept = 1000;
const listings = ['resources', 'templates', 'prompts'] as const;

interface Kept {
  connectionId: string;
  listing: keyof Listings;
  until: number;
  items: Promise<Listings[keyof Listings][]>;
}

/** What servers list, kept for a short while for each credential; no credential ever sees what another one found. */
@Injectable()
export class McpCatalogue implements OnModuleInit {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly clients: McpClients,
    private readonly wakes: Wakes,
  ) {}

  onModuleInit(): void {
    this.wakes.on(connectionsTopic, (ids) => ids !== 'all' && ids.forEach((id) => this.drop(id, listings)));
    this.wakes.on(catalogueTopic, (ids) => {
      for (const { connectionId, change } of ids === 'all' ? [] : ids.map(fromWake)) {
        if (change === 'resources') this.drop(connectionId, ['resources', 'templates']);
        if (change === 'prompts') this.drop(connectionId, ['prompts']);
      }
    });
  }

  /** Whoever asks at the same time waits for the same answer; a failure is told to all of them, and not kept. */
  async list<L extends keyof Listings>(target: McpTarget, listing: L, signal: AbortSignal): Promise<Listings[L][]> {
    const key = `${listing}/${target.key}`;
    const known = this.kept.get(key);
    if (known && known.until > Date.now()) return within(signal, known.items) as Promise<Listings[L][]>;
    const { connectionId, timeoutMs } = target;
    const items = this.clients.use(target, AbortSignal.timeout(timeoutMs), (client, signal) =>
      listingOf(client, listing, { signal, timeout: timeoutMs }),
    );
    const kept = { connectionId, listing, until: Date.now() + timeoutMs + freshMs, items };
    this.keep(key, kept);
    items.then(
      () => (kept.until = Date.now() + freshMs),
      () => this.kept.get(key) === kept && this.kept.delete(key),
    );
    return within(signal, items);
  }

  /** Keeps the client for as long as it lasts. */
  follow(target: McpTarget, uri: string, { onReady, onUpdate }: Follower, signal: AbortSignal): Promise<void> {
    const { timeoutMs: timeout } = target;
    return this.clients.use(target, signal, ({ listening }) =>
      // what is listened for is everybody’s, and no part of what one of them does
      journeys.exit(async () => {
        await listening.follow(uri, onUpdate, { signal, timeout });
        onReady();
        try {
          await within(signal, listening.lost);
        } finally {
          await listening.unfollow(uri, onUpdate, { timeout });
        }
      }),
    );
  }

  private keep(key: string, kept: Kept): void {
    this.kept.delete(key);
    this.kept.set(key, kept);
    const [oldest] = this.kept.keys();
    if (this.kept.size > mostKept) this.kept.delete(oldest);
  }

  private drop(connectionId: string, which: readonly (keyof Listings)[]): void {
    for (const [key, kept] of this.kept)
      if (kept.connectionId === connectionId && which.includes(kept.listing)) this.kept.delete(key);
  }
}
