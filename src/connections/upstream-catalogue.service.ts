import { Injectable, type OnModuleInit } from '@nestjs/common';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import type { Principal } from '../principal/principal.js';
import { decodeUpstreamChange, type UpstreamChange } from './catalogue-change.port.js';
import type { ListedPrompt, ListedResource, ListedTemplate, Listings } from './connector-registry.service.js';
import { ConnectionsService } from './connections.service.js';
import { upstreamCatalogueTopic } from './connections.events.js';
import { UpstreamSubscriptionsService } from './upstream-subscriptions.service.js';

export type { UpstreamChange } from './catalogue-change.port.js';
export type { ListedPrompt, ListedResource, ListedTemplate } from './connector-registry.service.js';

/**
 * What connected systems list besides their tools, read with the credential that the principal's calls would use, with
 * the names and URLs of the systems. A read is a tool call and is subject to policies. Listing is not; callers that
 * show a list evaluate the policies.
 */
@Injectable()
export class UpstreamCatalogueService implements OnModuleInit {
  private readonly handlers = new Set<(change: UpstreamChange) => void>();

  constructor(
    private readonly wakeupChannel: WakeupChannel,
    private readonly connections: ConnectionsService,
    private readonly subscriptions: UpstreamSubscriptionsService,
  ) {}

  onModuleInit(): void {
    this.wakeupChannel.subscribe(upstreamCatalogueTopic, (ids) => {
      for (const change of ids === 'all' ? [] : ids.map(decodeUpstreamChange))
        for (const handler of this.handlers) handler(change);
    });
  }

  /** Throws with a readable message if the system cannot be reached. Paused and removed connections list nothing. */
  resources(principal: Principal, connectionId: string, signal: AbortSignal): Promise<ListedResource[]> {
    return this.list(principal, connectionId, 'resources', signal);
  }

  templates(principal: Principal, connectionId: string, signal: AbortSignal): Promise<ListedTemplate[]> {
    return this.list(principal, connectionId, 'templates', signal);
  }

  prompts(principal: Principal, connectionId: string, signal: AbortSignal): Promise<ListedPrompt[]> {
    return this.list(principal, connectionId, 'prompts', signal);
  }

  /** Notified on every process. A wakeup can be lost, so callers must also poll. */
  onChanged(handler: (change: UpstreamChange) => void): () => void {
    this.handlers.add(handler);
    return () => this.handlers.delete(handler);
  }

  /**
   * Resolves after the system accepts the subscription; throws with a readable message if it does not. `onChanged`
   * handlers are notified on every process. This process holds the subscription until `unsubscribe` was called as often
   * as `subscribe`, so each listener subscribes once and unsubscribes when it closes.
   */
  subscribe(principal: Principal, connectionId: string, uri: string): Promise<void> {
    return this.subscriptions.subscribe(principal, connectionId, uri);
  }

  unsubscribe(principal: Principal, connectionId: string, uri: string): void {
    this.subscriptions.unsubscribe(principal, connectionId, uri);
  }

  private async list<L extends keyof Listings>(
    principal: Principal,
    connectionId: string,
    listing: L,
    signal: AbortSignal,
  ): Promise<Listings[L][]> {
    const connection = await this.connections.find(principal, connectionId);
    if (!connection || connection.pausedAt) return [];
    const { connector, context } = await this.connections.open(principal, connection, signal);
    return (await connector.list?.(context, listing)) ?? [];
  }
}
