import { Injectable, type OnModuleInit } from '@nestjs/common';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import type { Principal } from '../principal/principal.js';
import { decodeUpstreamChange, type UpstreamChange } from './catalogue-change.js';
import type { ListedPrompt, ListedResource, ListedTemplate, Listings } from './connector-registry.service.js';
import { ConnectionsService } from './connections.service.js';
import { upstreamCatalogueTopic } from './topics.js';
import { UpstreamSubscriptionsService } from './upstream-subscriptions.service.js';

export type { UpstreamChange } from './catalogue-change.js';
export type { ListedPrompt, ListedResource, ListedTemplate } from './connector-registry.service.js';

/**
 * What connected systems list beside their tools, with the credential that a principal's calls would go by, under the names and
 * addresses that the systems gave. Reading it is a tool call like any other: listing asks no policy, whoever shows a list does.
 */
@Injectable()
export class UpstreamCatalogueService implements OnModuleInit {
  private readonly handlers = new Set<(told: UpstreamChange) => void>();

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

  /** Throws, in words, where the system cannot be asked; nothing is listed of a paused or removed connection. */
  resources(principal: Principal, connectionId: string, signal: AbortSignal): Promise<ListedResource[]> {
    return this.list(principal, connectionId, 'resources', signal);
  }

  templates(principal: Principal, connectionId: string, signal: AbortSignal): Promise<ListedTemplate[]> {
    return this.list(principal, connectionId, 'templates', signal);
  }

  prompts(principal: Principal, connectionId: string, signal: AbortSignal): Promise<ListedPrompt[]> {
    return this.list(principal, connectionId, 'prompts', signal);
  }

  /** Heard on every process, whichever of them was told. Not proof against a lost wake: ask again from time to time, too. */
  onChanged(handler: (told: UpstreamChange) => void): () => void {
    this.handlers.add(handler);
    return () => this.handlers.delete(handler);
  }

  /**
   * Resolves once the system agreed to tell; throws, in words, where it does not. It is told (`onChanged`) on every process, and held
   * in this one until as many `unsubscribe`s: whoever has a listener open subscribes beside it, and leaves with it.
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
