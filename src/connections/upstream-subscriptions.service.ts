import { setTimeout as after } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { encodeUpstreamChange } from './catalogue-change.port.js';
import { NotSent } from './connections.error.js';
import { ConnectionsService } from './connections.service.js';
import { upstreamCatalogueTopic, connectionsTopic } from './connections.events.js';

const minSubscriptionRetryMs = 1000;
const maxSubscriptionRetryMs = 60_000;
/** The URI travels to other processes in a wakeup, whose size is limited. */
const maxFollowedUriLength = 1000;
const maxPerOwner = 200;

interface ResourceSubscription {
  owner: string;
  connectionId: string;
  count: number;
  /** Resolves when the system first accepts the subscription; rejects if it does not. */
  ready: Promise<void>;
  ending: AbortController;
  /** For the current connection to the system. */
  attempt: AbortController;
}

/**
 * Subscriptions to resources, each open as long as a caller in this process holds it. A lost connection is reopened
 * with the settings and credential of that time, and subscribers are notified to read the resource again.
 */
@Injectable()
export class UpstreamSubscriptionsService implements OnModuleInit, OnModuleDestroy {
  private readonly subscriptions = new Map<string, ResourceSubscription>();

  constructor(
    private readonly wakeupChannel: WakeupChannel,
    private readonly connections: ConnectionsService,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    this.wakeupChannel.subscribe(connectionsTopic, (ids) => {
      for (const { connectionId, attempt } of this.subscriptions.values())
        if (ids !== 'all' && ids.includes(connectionId)) attempt.abort();
    });
  }

  onModuleDestroy(): void {
    for (const { ending } of this.subscriptions.values()) ending.abort();
  }

  async subscribe(principal: Principal, connectionId: string, uri: string): Promise<void> {
    if (uri.length > maxFollowedUriLength)
      throw new NotSent(`Subscriptions are limited to addresses of ${maxFollowedUriLength} characters.`);
    const key = keyOf(principal, connectionId, uri);
    const known = this.subscriptions.get(key);
    if (known) known.count++;
    const subscription = known ?? this.start(principal, connectionId, uri, key);
    try {
      await subscription.ready;
    } catch (error) {
      if (this.subscriptions.get(key) === subscription) this.subscriptions.delete(key);
      throw error;
    }
  }

  unsubscribe(principal: Principal, connectionId: string, uri: string): void {
    const key = keyOf(principal, connectionId, uri);
    const subscription = this.subscriptions.get(key);
    if (!subscription || --subscription.count > 0) return;
    this.subscriptions.delete(key);
    subscription.ending.abort();
  }

  private start(principal: Principal, connectionId: string, uri: string, key: string): ResourceSubscription {
    const owner = ownerOf(principal);
    if ([...this.subscriptions.values()].filter((other) => other.owner === owner).length >= maxPerOwner)
      throw new NotSent(`Subscriptions are limited to ${maxPerOwner} resources at once.`);
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    const subscription = {
      owner,
      connectionId,
      count: 1,
      ready,
      ending: new AbortController(),
      attempt: new AbortController(),
    };
    this.subscriptions.set(key, subscription);
    void this.maintain(principal, uri, subscription, resolve).catch(reject);
    return subscription;
  }

  /** Throws only before the system first accepts the subscription. */
  private async maintain(
    principal: Principal,
    uri: string,
    subscription: ResourceSubscription,
    onReady: () => void,
  ): Promise<void> {
    let isReady = false;
    let pauseMs = minSubscriptionRetryMs;
    const publish = () => this.publishUpdate(principal, subscription.connectionId, uri);
    while (!subscription.ending.signal.aborted) {
      try {
        await this.listen(principal, uri, subscription, publish, () => {
          if (isReady) publish(); // changes may have been missed
          isReady = true;
          pauseMs = minSubscriptionRetryMs;
          onReady();
        });
      } catch (error) {
        if (!isReady) throw error;
        this.log.debug(
          { err: error, connectionId: subscription.connectionId },
          'resource subscription lost; it will be retried',
        );
      }
      await after(pauseMs, undefined, { ref: false, signal: subscription.ending.signal }).catch(() => undefined); // ended
      pauseMs = Math.min(2 * pauseMs, maxSubscriptionRetryMs);
    }
  }

  private async listen(
    principal: Principal,
    uri: string,
    subscription: ResourceSubscription,
    onUpdate: () => void,
    onReady: () => void,
  ): Promise<void> {
    subscription.attempt = new AbortController();
    const signal = AbortSignal.any([subscription.attempt.signal, subscription.ending.signal]);
    const connection = await this.connections.find(principal, subscription.connectionId);
    if (!connection || connection.pausedAt) throw new NotSent('The connection is paused or was removed.');
    const { connector, context } = await this.connections.open(principal, connection, signal);
    if (!connector.follow) throw new NotSent(`Connections to "${connector.title}" do not offer subscriptions.`);
    await connector.follow(context, uri, { onReady, onUpdate });
  }

  private publishUpdate({ memberId }: Principal, connectionId: string, uri: string): void {
    this.wakeupChannel.publish(
      upstreamCatalogueTopic,
      encodeUpstreamChange({ connectionId, change: { updated: uri }, memberId }),
    );
  }
}

const ownerOf = ({ tenantId, memberId, agentId }: Principal) => `${tenantId} ${memberId ?? agentId ?? '-'}`;
const keyOf = (principal: Principal, connectionId: string, uri: string) =>
  `${ownerOf(principal)} ${connectionId} ${uri}`;
