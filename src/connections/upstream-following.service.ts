import { setTimeout as after } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Wakes } from '../platform/events/wakes.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { toWake } from './catalogue-change.js';
import { NotSent } from './connections.error.js';
import { ConnectionsService } from './connections.service.js';
import { catalogueTopic, connectionsTopic } from './topics.js';

const firstPauseMs = 1000;
const longestPauseMs = 60_000;
/** It travels to the other processes in a wake. */
const longestUri = 1000;
const mostOfOne = 200;

interface Followed {
  owner: string;
  connectionId: string;
  count: number;
  /** Since the first time that the system agreed; rejects where it did not. */
  ready: Promise<void>;
  ending: AbortController;
  /** Of the present line to the system. */
  line: AbortController;
}

/**
 * Resources that somebody wants to hear of, each for as long as it is asked for in this process. A line that is lost is opened
 * again, with the settings and the credential of then, and its followers are told to look.
 */
@Injectable()
export class UpstreamFollowing implements OnModuleInit, OnModuleDestroy {
  private readonly followed = new Map<string, Followed>();

  constructor(
    private readonly wakes: Wakes,
    private readonly connections: ConnectionsService,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.wakes.on(connectionsTopic, (ids) => {
      for (const { connectionId, line } of this.followed.values())
        if (ids !== 'all' && ids.includes(connectionId)) line.abort();
    });
  }

  onModuleDestroy(): void {
    for (const { ending } of this.followed.values()) ending.abort();
  }

  async follow(principal: Principal, connectionId: string, uri: string): Promise<void> {
    if (uri.length > longestUri) throw new NotSent(`Addresses of more than ${longestUri} characters are not followed.`);
    const key = keyOf(principal, connectionId, uri);
    const known = this.followed.get(key);
    if (known) known.count++;
    const followed = known ?? this.begin(principal, connectionId, uri, key);
    try {
      await followed.ready;
    } catch (error) {
      if (this.followed.get(key) === followed) this.followed.delete(key);
      throw error;
    }
  }

  unfollow(principal: Principal, connectionId: string, uri: string): void {
    const key = keyOf(principal, connectionId, uri);
    const followed = this.followed.get(key);
    if (!followed || --followed.count > 0) return;
    this.followed.delete(key);
    followed.ending.abort();
  }

  private begin(principal: Principal, connectionId: string, uri: string, key: string): Followed {
    const owner = ownerOf(principal);
    if ([...this.followed.values()].filter((other) => other.owner === owner).length >= mostOfOne)
      throw new NotSent(`More than ${mostOfOne} resources are not followed at once.`);
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    const followed = {
      owner,
      connectionId,
      count: 1,
      ready,
      ending: new AbortController(),
      line: new AbortController(),
    };
    this.followed.set(key, followed);
    void this.keepUp(principal, uri, followed, resolve).catch(reject);
    return followed;
  }

  /** Throws only before the first time that the system agreed. */
  private async keepUp(principal: Principal, uri: string, followed: Followed, onReady: () => void): Promise<void> {
    let isReady = false;
    let pauseMs = firstPauseMs;
    const tell = () => this.tell(principal, followed.connectionId, uri);
    while (!followed.ending.signal.aborted) {
      try {
        await this.listen(principal, uri, followed, tell, () => {
          if (isReady) tell(); // something may have been missed
          isReady = true;
          pauseMs = firstPauseMs;
          onReady();
        });
      } catch (error) {
        if (!isReady) throw error;
        this.log.debug({ err: error, connectionId: followed.connectionId }, 'a resource is not followed for a while');
      }
      await after(pauseMs, undefined, { ref: false, signal: followed.ending.signal }).catch(() => undefined); // ended
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }

  private async listen(
    principal: Principal,
    uri: string,
    followed: Followed,
    onUpdate: () => void,
    onReady: () => void,
  ): Promise<void> {
    followed.line = new AbortController();
    const signal = AbortSignal.any([followed.line.signal, followed.ending.signal]);
    const connection = await this.connections.find(principal, followed.connectionId);
    if (!connection || connection.pausedAt) throw new NotSent('The connection is paused or was removed.');
    const { kind, context } = await this.connections.open(principal, connection, signal);
    if (!kind.follow) throw new NotSent(`Connections of the kind "${kind.title}" do not tell of changes.`);
    await kind.follow(context, uri, { onReady, onUpdate });
  }

  private tell({ memberId }: Principal, connectionId: string, uri: string): void {
    this.wakes.send(catalogueTopic, toWake({ connectionId, change: { updated: uri }, memberId }));
  }
}

const ownerOf = ({ tenantId, memberId, agentId }: Principal) => `${tenantId} ${memberId ?? agentId ?? '-'}`;
const keyOf = (principal: Principal, connectionId: string, uri: string) =>
  `${ownerOf(principal)} ${connectionId} ${uri}`;
