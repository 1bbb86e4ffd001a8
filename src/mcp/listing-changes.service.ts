import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
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

/** A list is another one, or a resource has other content. */
export type ListingChange = Listing | { updated: string };

export interface WatchOptions {
  /** What was shown when somebody last watched for the same client. */
  previous?: ListingFingerprints | null;
  onChange(change: ListingChange): void;
  /** For who comes back after a while. */
  onShown?(prints: ListingFingerprints): void;
  /** Nothing more will be told: the process stops. */
  onStop(): void;
}
export interface ListingWatch {
  /** The resources, by the addresses that the client knows, whose changes it wants to hear of; these, and no others any more. */
  follow(uris: readonly string[]): void;
  stop(): void;
}
interface ListingWatcher extends WatchOptions {
  caller: McpCaller;
  snapshot?: ListingSnapshot;
  /** What it wants to follow, whether or not it may at present. */
  wanted: readonly string[];
  followed: FollowedResources;
}

const listingDebounceMs = 200;
/** Where a wake is lost, and for what wakes nobody: a group that somebody leaves. */
const listingPollMs = 30_000;
const maxConcurrentChecks = 8;

/** Tells clients that listen when what they were shown is not what they would be shown now. */
@Injectable()
export class ListingChangesService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly watchers = new Set<ListingWatcher>();
  private debounceTimer?: NodeJS.Timeout;
  private pollTimer?: NodeJS.Timeout;
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
    this.pollTimer = setInterval(() => this.scheduleCheck(), listingPollMs).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.pollTimer);
    clearTimeout(this.debounceTimer);
    for (const watcher of this.watchers) watcher.onStop();
    this.watchers.clear();
    await this.checking; // the tables are there for as long as somebody looks
  }

  /** `seen`: what the client may have been shown last; without it, what it would be shown now. */
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
      this.log.warn({ err: error }, 'the resources that a client follows could not be looked up');
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

  private scheduleCheck(): void {
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
      if (!this.watchers.has(watcher)) return; // it left meanwhile, and misses nothing
      this.log.warn({ err: error }, 'what a client is shown could not be compared; it is tried again');
    }
  }
}
