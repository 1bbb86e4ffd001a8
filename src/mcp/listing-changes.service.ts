import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { configurationsTopic } from '../configurations/configurations.events.js';
import { type ToldChange, UpstreamCatalogue } from '../connections/upstream-catalogue.service.js';
import { Wakes } from '../platform/events/wakes.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import type { Caller } from './caller.js';
import { FollowedResources } from './followed-resources.js';
import { type Listing, type Prints, type Seen, Sights } from './sights.service.js';

/** A list is another one, or a resource has other content. */
export type Change = Listing | { updated: string };

export interface Watching {
  /** What was shown when somebody last watched for the same client. */
  before?: Prints | null;
  changed(change: Change): void;
  /** For who comes back after a while. */
  shows?(prints: Prints): void;
  /** Nothing more will be told: the process stops. */
  over(): void;
}
export interface Watch {
  /** The resources, by the addresses that the client knows, whose changes it wants to hear of; these, and no others any more. */
  follow(uris: readonly string[]): void;
  stop(): void;
}
interface Watcher extends Watching {
  caller: Caller;
  seen?: Seen;
  /** What it wants to follow, whether or not it may at present. */
  wanted: readonly string[];
  followed: FollowedResources;
}

const settlingMs = 200;
/** Where a wake is lost, and for what wakes nobody: a group that somebody leaves. */
const atLeastEveryMs = 30_000;
const lookedAtOnce = 8;

/** Tells clients that listen when what they were shown is not what they would be shown now. */
@Injectable()
export class ListingChanges implements OnModuleInit, BeforeApplicationShutdown {
  private readonly watchers = new Set<Watcher>();
  private settling?: NodeJS.Timeout;
  private regular?: NodeJS.Timeout;
  private looking?: Promise<void>;

  constructor(
    private readonly sights: Sights,
    private readonly catalogue: UpstreamCatalogue,
    private readonly wakes: Wakes,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.wakes.on(configurationsTopic, (ids) => ids !== 'all' && this.soon());
    this.catalogue.onChanged((told) => this.hear(told));
    this.regular = setInterval(() => this.soon(), atLeastEveryMs).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.regular);
    clearTimeout(this.settling);
    for (const watcher of this.watchers) watcher.over();
    this.watchers.clear();
    await this.looking; // the tables are there for as long as somebody looks
  }

  /** `seen`: what the client may have been shown last; without it, what it would be shown now. */
  watch(caller: Caller, watching: Watching, seen?: Seen): Watch {
    const followed = new FollowedResources(this.catalogue, caller.principal);
    const watcher: Watcher = { caller, seen, wanted: [], followed, ...watching };
    this.watchers.add(watcher);
    void this.look(watcher);
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

  private async follow(watcher: Watcher): Promise<void> {
    const { caller, wanted, followed } = watcher;
    try {
      const readable = await this.sights.readable(caller, wanted);
      if (this.watchers.has(watcher) && watcher.wanted === wanted) followed.set(readable);
    } catch (error) {
      if (!this.watchers.has(watcher)) return;
      this.log.warn({ err: error }, 'the resources that a client follows could not be looked up');
    }
  }

  private hear(told: ToldChange): void {
    const { connectionId, change, memberId } = told;
    if (change === 'tools') return this.soon();
    for (const watcher of this.watchers) {
      if (memberId !== undefined && memberId !== watcher.caller.principal.memberId) continue;
      if (typeof change === 'object' && !watcher.followed.has({ connectionId, uri: change.updated })) continue;
      const shown = watcher.seen?.shown(told);
      if (shown) watcher.changed(shown);
    }
  }

  private soon(): void {
    if (!this.watchers.size) return;
    this.settling ??= setTimeout(() => {
      this.settling = undefined;
      this.looking = (this.looking ?? Promise.resolve()).then(() => this.lookAgain());
    }, settlingMs).unref();
  }

  private async lookAgain(): Promise<void> {
    const all = [...this.watchers];
    while (all.length && this.watchers.size)
      await Promise.all(all.splice(0, lookedAtOnce).map((watcher) => this.look(watcher)));
  }

  private async look(watcher: Watcher): Promise<void> {
    if (watcher.wanted.length) void this.follow(watcher);
    const before = watcher.seen?.prints ?? watcher.before;
    try {
      watcher.seen = await this.sights.of(watcher.caller);
      if (!this.watchers.has(watcher)) return;
      const unlike = before ? watcher.seen.unlike(before) : [];
      for (const listing of unlike) watcher.changed(listing);
      if (!before || unlike.length) watcher.shows?.(watcher.seen.prints);
    } catch (error) {
      if (!this.watchers.has(watcher)) return; // it left meanwhile, and misses nothing
      this.log.warn({ err: error }, 'what a client is shown could not be compared; it is tried again');
    }
  }
}
