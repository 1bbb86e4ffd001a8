import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { configurationsTopic } from '../configurations/configurations.events.js';
import { type UpstreamChange, UpstreamCatalogueService } from '../connections/upstream-catalogue.service.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { McpCaller } from './mcp-caller.js';
import { FollowedResources } from './followed-resources.js';
import {
  type Listing,
  type ListingFingerprints,
  type ListingSnapshot,
  ListingSnapshotService,
} from './listing-snapshot.service.js';

/** A list changed, or the content of a resource did. */
export type ListingChange = Listing | { updated: string };

export interface WatchOptions {
  /** The listings that the client saw when it was last watched. */
  previous?: ListingFingerprints | null;
  onChange(change: ListingChange): void;
  /** Stores the fingerprints for a client that reconnects later. */
  onShown?(prints: ListingFingerprints): void;
  /** The process shuts down and reports no further changes. */
  onStop(): void;
}
export interface ListingWatch {
  /** Replaces the set of subscribed resources. `uris`: as the client knows them. */
  follow(uris: readonly string[]): void;
  stop(): void;
}
interface ListingWatcher extends WatchOptions {
  caller: McpCaller;
  snapshot?: ListingSnapshot;
  /** All URIs that it subscribed to, including those that it may not read at present. */
  wanted: readonly string[];
  followed: FollowedResources;
}

const listingDebounceMs = 200;
/** Catches lost wake-ups, and changes that publish none, such as a member leaving a group. */
const listingPollMs = 30_000;
const maxConcurrentChecks = 8;

/** Notifies listening clients when a listing differs from the one that they last saw. */
@Injectable()
export class ListingChangesService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly watchers = new Set<ListingWatcher>();
  private debounceTimer?: NodeJS.Timeout;
  private checking?: Promise<void>;

  constructor(
    private readonly listingSnapshot: ListingSnapshotService,
    private readonly catalogue: UpstreamCatalogueService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    this.wakeupChannel.subscribe(configurationsTopic, (ids) => ids !== 'all' && this.scheduleCheck());
    this.catalogue.onChanged((change) => this.onUpstreamChange(change));
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.debounceTimer);
    for (const watcher of this.watchers) watcher.onStop();
    this.watchers.clear();
    await this.checking; // the database must stay open until the check ends
  }

  /** `snapshot`: what the client may have seen last. Without it, `previous` or the current listings are the baseline. */
  watch(caller: McpCaller, options: WatchOptions, snapshot?: ListingSnapshot): ListingWatch {
    const followed = new FollowedResources(this.catalogue, caller.principal);
    const watcher: ListingWatcher = { caller, snapshot, wanted: [], followed, ...options };
    this.watchers.add(watcher);
    void this.check(watcher);
    return {
      follow: (uris) => {
        watcher.wanted = uris;
        void this.follow(watcher);
      },
      stop: () => {
        this.watchers.delete(watcher);
        followed.set([]);
      },
    };
  }

  private async follow(watcher: ListingWatcher): Promise<void> {
    const { caller, wanted, followed } = watcher;
    try {
      const readable = await this.listingSnapshot.readableResources(caller, wanted);
      if (this.watchers.has(watcher) && watcher.wanted === wanted) followed.set(readable);
    } catch (error) {
      if (!this.watchers.has(watcher)) return;
      this.log.warn({ err: error }, 'resource subscriptions of a client could not be resolved');
    }
  }

  private onUpstreamChange(upstreamChange: UpstreamChange): void {
    const { connectionId, change, memberId } = upstreamChange;
    if (change === 'tools') return this.scheduleCheck();
    for (const watcher of this.watchers) {
      if (memberId !== undefined && memberId !== watcher.caller.principal.memberId) continue;
      if (typeof change === 'object' && !watcher.followed.has({ connectionId, uri: change.updated })) continue;
      const shown = watcher.snapshot?.toClientChange(upstreamChange);
      if (shown) watcher.onChange(shown);
    }
  }

  @Interval(listingPollMs)
  protected scheduleCheck(): void {
    if (!this.watchers.size) return;
    this.debounceTimer ??= setTimeout(() => {
      this.debounceTimer = undefined;
      this.checking = (this.checking ?? Promise.resolve()).then(() => this.checkAll());
    }, listingDebounceMs).unref();
  }

  private async checkAll(): Promise<void> {
    const all = [...this.watchers];
    while (all.length && this.watchers.size)
      await Promise.all(all.splice(0, maxConcurrentChecks).map((watcher) => this.check(watcher)));
  }

  private async check(watcher: ListingWatcher): Promise<void> {
    if (watcher.wanted.length) void this.follow(watcher);
    const previous = watcher.snapshot?.fingerprints ?? watcher.previous;
    try {
      watcher.snapshot = await this.listingSnapshot.of(watcher.caller);
      if (!this.watchers.has(watcher)) return;
      const changedListings = previous ? watcher.snapshot.changedSince(previous) : [];
      for (const listing of changedListings) watcher.onChange(listing);
      if (!previous || changedListings.length) watcher.onShown?.(watcher.snapshot.fingerprints);
    } catch (error) {
      if (!this.watchers.has(watcher)) return; // it left meanwhile
      this.log.warn({ err: error }, 'listings of a client could not be compared; retrying');
    }
  }
}
