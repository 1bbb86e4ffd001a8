import type { UpstreamCatalogueService } from '../connections/upstream-catalogue.service.js';
import type { Principal } from '../principal/principal.js';
import type { UpstreamResource } from './listing-snapshot.service.js';

/** The upstream resources that one client is subscribed to while its stream is open. */
export class FollowedResources {
  private readonly subscriptions = new Map<string, ResourceSubscriptionState>();

  constructor(
    private readonly catalogue: UpstreamCatalogueService,
    private readonly principal: Principal,
  ) {}

  has({ connectionId, uri }: UpstreamResource): boolean {
    return this.subscriptions.has(keyOf({ connectionId, uri }));
  }

  set(resources: readonly UpstreamResource[]): void {
    const next = new Map(resources.map((one) => [keyOf(one), one]));
    for (const [key, { connectionId, uri, isRefused }] of this.subscriptions) {
      if (next.has(key)) continue;
      this.subscriptions.delete(key);
      if (!isRefused) this.catalogue.unsubscribe(this.principal, connectionId, uri);
    }
    for (const [key, { connectionId, uri }] of next) {
      if (this.subscriptions.has(key)) continue;
      const one: ResourceSubscriptionState = { connectionId, uri, isRefused: false };
      this.subscriptions.set(key, one);
      this.catalogue.subscribe(this.principal, connectionId, uri).catch(() => {
        // A refused subscription must not be ended later: by then another listener may have subscribed successfully.
        one.isRefused = true;
      });
    }
  }
}

interface ResourceSubscriptionState extends UpstreamResource {
  isRefused: boolean;
}

const keyOf = ({ connectionId, uri }: UpstreamResource): string => `${connectionId} ${uri}`;
