import { setTimeout as after } from 'node:timers/promises';
import type { Client, McpSubscription, RequestOptions, SubscriptionFilter } from '@modelcontextprotocol/client';
import type { ChangedList } from '../connections/catalogue-change.port.js';
import { NotSent } from '../connections/connections.error.js';
import { SerialExecutor } from '../platform/events/serial-executor.js';

const minListenRetryMs = 1000;
const maxListenRetryMs = 60_000;
const maxOpeningMs = 15_000;

/**
 * Receives change notifications of a server while its client is connected. Servers of protocol 2025 send list changes
 * unsolicited and resource updates after a subscription. Current servers send all of them on one stream with a fixed
 * filter, so another resource requires a new stream in place of the previous one.
 */
export class UpstreamChangeListener {
  private readonly followers = new Map<string, Set<() => void>>();
  /** The resources for which the server accepted a subscription. */
  private readonly subscribedUris = new Set<string>();
  private subscription?: McpSubscription;
  /** Serializes changes of the subscription. */
  private readonly changes = new SerialExecutor();
  private readonly end = Promise.withResolvers<void>();
  private hasClosed = false;

  constructor(
    private readonly client: Client,
    private readonly onListChanged: (list: ChangedList) => void,
  ) {
    client.setNotificationHandler('notifications/tools/list_changed', () => onListChanged('tools'));
    client.setNotificationHandler('notifications/resources/list_changed', () => onListChanged('resources'));
    client.setNotificationHandler('notifications/prompts/list_changed', () => onListChanged('prompts'));
    client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) =>
      this.notifyFollowers(uri),
    );
  }

  /** Called once the client is connected. A server that rejects the stream is retried periodically. */
  open(): void {
    if (this.isModern && Object.keys(this.subscriptionFilter()).length) void this.keepOpen();
  }

  close(): void {
    this.hasClosed = true;
    this.end.resolve();
  }

  /** Resolves when the client is gone and no more changes arrive. */
  get lost(): Promise<void> {
    return this.end.promise;
  }

  /** Resolves when the server accepts; throws if it offers no subscription to this resource. */
  async follow(uri: string, onUpdate: () => void, options: RequestOptions): Promise<void> {
    if (!this.client.getServerCapabilities()?.resources?.subscribe)
      throw new NotSent('The server does not offer subscriptions to resources.');
    this.followers.set(uri, (this.followers.get(uri) ?? new Set()).add(onUpdate));
    try {
      await this.changes.run(() => this.ensureSubscribed(uri, options));
    } catch (error) {
      this.removeFollower(uri, onUpdate);
      throw error;
    }
  }

  async unfollow(uri: string, onUpdate: () => void, options: RequestOptions): Promise<void> {
    if (!this.removeFollower(uri, onUpdate) || this.hasClosed) return;
    await this.changes.run(async () => {
      if (this.followers.has(uri)) return;
      this.subscribedUris.delete(uri);
      if (this.isModern) await this.listen(options);
      else await this.client.unsubscribeResource({ uri }, options);
    });
  }

  private get isModern(): boolean {
    return this.client.getProtocolEra() === 'modern';
  }

  private removeFollower(uri: string, onUpdate: () => void): boolean {
    const followers = this.followers.get(uri);
    followers?.delete(onUpdate);
    return followers?.size === 0 && this.followers.delete(uri);
  }

  private async ensureSubscribed(uri: string, options: RequestOptions): Promise<void> {
    if (this.subscribedUris.has(uri)) return;
    if (this.isModern) await this.listen(options, uri);
    else await this.client.subscribeResource({ uri }, options);
    this.subscribedUris.add(uri);
  }

  /** The update may concern the resource or something within it (MCP, `notifications/resources/updated`). */
  private notifyFollowers(updated: string): void {
    for (const [uri, followers] of this.followers)
      if (updated === uri || updated.startsWith(uri.endsWith('/') ? uri : `${uri}/`))
        for (const onUpdate of followers) onUpdate();
  }

  private subscriptionFilter(): SubscriptionFilter {
    const { tools, resources, prompts } = this.client.getServerCapabilities() ?? {};
    return {
      ...(tools?.listChanged && { toolsListChanged: true as const }),
      ...(resources?.listChanged && { resourcesListChanged: true as const }),
      ...(prompts?.listChanged && { promptsListChanged: true as const }),
      ...(this.followers.size && { resourceSubscriptions: [...this.followers.keys()] }),
    };
  }

  /** The server must accept `needed`. The previous stream is closed only after the new one is open. */
  private async listen(options: RequestOptions, needed?: string): Promise<void> {
    const filter = this.subscriptionFilter();
    const before = this.subscription;
    if (!Object.keys(filter).length) {
      this.subscription = undefined;
      return before?.close();
    }
    const opened = await this.client.listen(filter, { timeout: options.timeout });
    if (needed !== undefined && !opened.honoredFilter.resourceSubscriptions?.includes(needed)) {
      await opened.close();
      throw new NotSent('The server does not offer a subscription to this resource.');
    }
    this.subscription = opened;
    await before?.close();
    void opened.closed.then(() => (this.subscription === opened ? this.keepOpen(opened) : undefined));
  }

  /** Reopens the stream. Followers may have missed updates in between, so they are notified to read again. */
  private async keepOpen(lost?: McpSubscription): Promise<void> {
    let pauseMs = minListenRetryMs;
    for (let isFirst = !lost; !this.hasClosed && this.subscription === lost; isFirst = false) {
      if (!isFirst) await after(pauseMs, undefined, { ref: false });
      pauseMs = Math.min(pauseMs * 2, maxListenRetryMs);
      if (this.hasClosed || this.subscription !== lost) return;
      try {
        await this.changes.run(() => this.listen({ timeout: maxOpeningMs }));
        for (const uri of this.followers.keys()) this.notifyFollowers(uri);
      } catch (error) {
        this.client.onerror?.(error as Error);
      }
    }
  }
}
