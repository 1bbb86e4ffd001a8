import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CredentialRevalidationService } from '../access/credential-revalidation.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { MetricsService } from '../platform/telemetry/metrics.service.js';
import type { Principal } from '../principal/principal.js';
import { RateLimitsService } from '../limits/rate-limits.service.js';
import type { McpCaller } from './mcp-caller.js';
import { type ListingChange, ListingChangesService } from './listing-changes.service.js';
import { ListingSnapshotService } from './listing-snapshot.service.js';
import { whenClosed } from './web.js';

/** A stream may outlive the credential that opened it. */
const subscriptionRevalidateMs = 5000;

/** `subscriptions/listen`: a stream of changes for one caller. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly changes: ListingChangesService,
    private readonly listingSnapshot: ListingSnapshotService,
    private readonly credentialRevalidation: CredentialRevalidationService,
    private readonly limits: RateLimitsService,
    private readonly log: LogService,
    private readonly metrics: MetricsService,
  ) {}

  /** Returns the factory of the event bus that feeds the SDK's stream. `end` closes the stream. */
  async open(caller: McpCaller, message: JsonObject, response: Response): Promise<(end: () => void) => ServerEventBus> {
    const slot = this.limits.openStream(caller.principal);
    whenClosed(response, () => slot.release());
    // Taken before the acknowledgement, so that the client learns of every change after it.
    const snapshot = await this.listingSnapshot.of(caller);
    return (end) => ({
      publish: () => undefined,
      subscribe: (emit) => {
        const watch = this.changes.watch(
          caller,
          { onChange: (change) => emit(eventOf(change)), onStop: end },
          snapshot,
        );
        watch.follow(subscribedUris(message));
        const revalidationTimer = setInterval(
          () => void this.revalidate(caller.principal, end),
          subscriptionRevalidateMs,
        );
        this.metrics.streams.inc();
        return () => {
          clearInterval(revalidationTimer);
          this.metrics.streams.dec();
          watch.stop();
        };
      },
    });
  }

  private async revalidate(principal: Principal, end: () => void): Promise<void> {
    try {
      const stop = await this.credentialRevalidation.revalidate(principal);
      if (stop && !stop.isPause) end();
    } catch (error) {
      this.log.warn({ err: error }, 'credential of a stream could not be revalidated; retrying');
    }
  }
}

const eventOf = (change: ListingChange): ServerEvent =>
  typeof change === 'string' ? { kind: `${change}_list_changed` } : { kind: 'resource_updated', uri: change.updated };

/** The SDK validates the request before it subscribes. */
function subscribedUris({ params }: JsonObject): string[] {
  const { notifications } = params as { notifications?: { resourceSubscriptions?: string[] } };
  return notifications?.resourceSubscriptions ?? [];
}
