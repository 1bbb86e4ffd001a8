import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Recheck } from '../access/recheck.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { Log } from '../platform/telemetry/log.service.js';
import { Metrics } from '../platform/telemetry/metrics.service.js';
import type { Principal } from '../principal/principal.js';
import { RateLimits } from '../tasks/rate-limits.service.js';
import type { Caller } from './caller.js';
import { type Change, ListingChanges } from './listing-changes.service.js';
import { Sights } from './sights.service.js';
import { whenClosed } from './web.js';

/** A stream may last for days, and what opened it may not. */
const recheckMs = 5000;

/** `subscriptions/listen`: a stream of the changes that concern one caller. */
@Injectable()
export class Subscriptions {
  constructor(
    private readonly changes: ListingChanges,
    private readonly sights: Sights,
    private readonly recheck: Recheck,
    private readonly limits: RateLimits,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  /** What the SDK serves the stream from. `over` ends it. */
  async open(caller: Caller, message: JsonObject, response: Response): Promise<(over: () => void) => ServerEventBus> {
    const slot = this.limits.openStream(caller.principal);
    whenClosed(response, () => slot.release());
    // before the client is told that it is heard: what changes from then on is told
    const seen = await this.sights.of(caller);
    return (over) => ({
      publish: () => undefined,
      subscribe: (tell) => {
        const watch = this.changes.watch(caller, { changed: (change) => tell(eventOf(change)), over }, seen);
        watch.follow(followed(message));
        const rechecks = setInterval(() => void this.endWhereOver(caller.principal, over), recheckMs);
        this.metrics.streams.inc();
        return () => {
          clearInterval(rechecks);
          this.metrics.streams.dec();
          watch.stop();
        };
      },
    });
  }

  private async endWhereOver(principal: Principal, over: () => void): Promise<void> {
    try {
      const stop = await this.recheck.check(principal);
      if (stop && !stop.isPause) over();
    } catch (error) {
      this.log.warn({ err: error }, 'a stream could not be rechecked; it is tried again');
    }
  }
}

const eventOf = (change: Change): ServerEvent =>
  typeof change === 'string' ? { kind: `${change}_list_changed` } : { kind: 'resource_updated', uri: change.updated };

/** The SDK has checked the request by the time that it asks for events. */
function followed({ params }: JsonObject): string[] {
  const { notifications } = params as { notifications?: { resourceSubscriptions?: string[] } };
  return notifications?.resourceSubscriptions ?? [];
}
