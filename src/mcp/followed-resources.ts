import type { UpstreamCatalogue } from '../connections/upstream-catalogue.service.js';
import type { Principal } from '../principal/principal.js';
import type { UpstreamResource } from './sights.service.js';

/** The resources of connected systems that one client follows, for as long as it listens. */
export class FollowedResources {
  private readonly held = new Map<string, UpstreamResource>();

  constructor(
    private readonly catalogue: UpstreamCatalogue,
    private readonly principal: Principal,
  ) {}

  set(wanted: readonly UpstreamResource[]): void {
    const next = new Map(wanted.map((one) => [`${one.connectionId} ${one.uri}`, one]));
    for (const [key, { connectionId, uri }] of this.held) {
      if (next.has(key)) continue;
      this.held.delete(key);
      this.catalogue.unsubscribe(this.principal, connectionId, uri);
    }
    for (const [key, one] of next) {
      if (this.held.has(key)) continue;
      this.held.set(key, one);
      // where the system does not tell, there is nothing to hear
      this.catalogue.subscribe(this.principal, one.connectionId, one.uri).catch(() => undefined);
    }
  }
}
