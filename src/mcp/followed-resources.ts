import type { UpstreamCatalogue } from '../connections/upstream-catalogue.service.js';
import type { Principal } from '../principal/principal.js';
import type { UpstreamResource } from './sights.service.js';

/** The resources of connected systems that one client follows, for as long as it listens. */
export class FollowedResources {
  private readonly held = new Map<string, Held>();

  constructor(
    private readonly catalogue: UpstreamCatalogue,
    private readonly principal: Principal,
  ) {}

  has({ connectionId, uri }: UpstreamResource): boolean {
    return this.held.has(keyOf({ connectionId, uri }));
  }

  set(wanted: readonly UpstreamResource[]): void {
    const next = new Map(wanted.map((one) => [keyOf(one), one]));
    for (const [key, { connectionId, uri, isRefused }] of this.held) {
      if (next.has(key)) continue;
      this.held.delete(key);
      if (!isRefused) this.catalogue.unsubscribe(this.principal, connectionId, uri);
    }
    for (const [key, { connectionId, uri }] of next) {
      if (this.held.has(key)) continue;
      const one: Held = { connectionId, uri, isRefused: false };
      this.held.set(key, one);
      this.catalogue.subscribe(this.principal, connectionId, uri).catch(() => {
        // where the system does not tell, there is nothing to hear, and nothing to end: another listener may hear it by then
        one.isRefused = true;
      });
    }
  }
}

interface Held extends UpstreamResource {
  isRefused: boolean;
}

const keyOf = ({ connectionId, uri }: UpstreamResource): string => `${connectionId} ${uri}`;
