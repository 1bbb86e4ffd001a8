import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Wakes } from '../platform/events/wakes.service.js';
import type { Principal } from '../principal/principal.js';
import { fromWake, type ToldChange } from './catalogue-change.js';
import type { ListedPrompt, ListedResource, ListedTemplate, Listings } from './connection-kinds.service.js';
import { ConnectionsService } from './connections.service.js';
import { catalogueTopic } from './topics.js';
import { UpstreamFollowing } from './upstream-following.service.js';

export type { ToldChange } from './catalogue-change.js';
export type { ListedPrompt, ListedResource, ListedTemplate } from './connection-kinds.service.js';

/**
 * What connected systems list beside their tools, with the credential that a principal's calls would go by, under the names and
 * addresses that the systems gave. Reading it is a tool call like any other: listing asks no policy, whoever shows a list does.
 */
@Injectable()
export class UpstreamCatalogue implements OnModuleInit {
  private readonly handlers = new Set<(told: ToldChange) => void>();

  constructor(
    private readonly wakes: Wakes,
    private readonly connections: ConnectionsService,
    private readonly following: UpstreamFollowing,
  ) {}

  onModuleInit(): void {
    this.wakes.on(catalogueTopic, (ids) => {
      for (const told of ids === 'all' ? [] : ids.map(fromWake)) for (const handler of this.handlers) handler(told);
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
  onChanged(handler: (told: ToldChange) => void): () => void {
    this.handlers.add(handler);
    return () => this.handlers.delete(handler);
  }

  /**
   * Resolves once the system agreed to tell; throws, in words, where it does not. It is told (`onChanged`) on every process, and held
   * in this one until as many `unsubscribe`s: whoever has a listener open subscribes beside it, and leaves with it.
   */
  subscribe(principal: Principal, connectionId: string, uri: string): Promise<void> {
    return this.following.follow(principal, connectionId, uri);
  }

  unsubscribe(principal: Principal, connectionId: string, uri: string): void {
    this.following.unfollow(principal, connectionId, uri);
  }

  private async list<L extends keyof Listings>(
    principal: Principal,
    connectionId: string,
    listing: L,
    signal: AbortSignal,
  ): Promise<Listings[L][]> {
    const connection = await this.connections.find(principal, connectionId);
    if (!connection || connection.pausedAt) return [];
    const { kind, context } = await this.connections.open(principal, connection, signal);
    return (await kind.list?.(context, listing)) ?? [];
  }
}
