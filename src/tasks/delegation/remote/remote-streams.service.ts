import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { type Task, TaskState, type StreamResponse } from '@a2a-js/sdk';
import type { ArtifactChunk } from '../../../agent/agent-model.port.js';
import { ConnectionsService } from '../../../connections/connections.service.js';
import { newId } from '../../../platform/crypto/ids.js';
import { DatabaseService } from '../../../platform/database/database.service.js';
import { LogService } from '../../../platform/telemetry/log.service.js';
import { systemPrincipal } from '../../../principal/principal.js';
import { ParentTaskNotifier } from '../../parent-task-notifier.service.js';
import { acquireStream, releaseStream, type RemoteAddress, type RemoteDelegation } from './remote-delegations.sql.js';
import { RemoteTaskService } from './remote-task.service.js';
import { progressOf } from './remote-task-status.js';
import {
  toRemoteChunk,
  exceedsShownLimit,
  mergeTexts,
  RemoteArtifactPublisher,
  partsLength,
} from './remote-artifact-publisher.service.js';

const maxStreams = 200;
const maxStreamsPerTenant = 50;
/** A dead process blocks a stream at most this long. */
const streamLeaseSeconds = 30;
/** Chunks that arrive within this time are stored as one. */
const flushIntervalMs = 250;
/** Polls reopen a failed stream. After this many failures, the process only polls. */
const maxStreamFailures = 3;

interface FollowedStream {
  tenantId: string;
  row: RemoteDelegation;
  ending: AbortController;
  pending: Map<string, ArtifactChunk>;
  /** Local ids of the artifacts that this stream has already published. */
  seen: Set<string>;
  progress?: string;
  shown: number;
}

/**
 * Follows the streams of remote agents, so that their output appears while they work. Only polls determine the status
 * of a remote task; the end of a stream triggers a poll.
 */
@Injectable()
export class RemoteStreamsService implements BeforeApplicationShutdown {
  private readonly activeStreams = new Map<string, FollowedStream & { done: Promise<void> }>();
  private readonly failures = new Map<string, number>();
  private readonly id = newId();
  private isStopped = false;

  constructor(
    private readonly database: DatabaseService,
    private readonly connections: ConnectionsService,
    private readonly remoteTask: RemoteTaskService,
    private readonly artifactPublisher: RemoteArtifactPublisher,
    private readonly parents: ParentTaskNotifier,
    private readonly log: LogService,
  ) {}

  /** Called at each poll of an open task. Does nothing if the stream is already followed. */
  follow(tenantId: string, row: RemoteDelegation): void {
    const { callId, address, remote, parentTaskId } = row;
    if (!address?.isStreaming || losesAppend(address) || !remote || parentTaskId === null || this.isStopped) return;
    if (this.activeStreams.has(callId) || (this.failures.get(callId) ?? 0) >= maxStreamFailures) return;
    const ofTenant = [...this.activeStreams.values()].filter((one) => one.tenantId === tenantId).length;
    if (this.activeStreams.size >= maxStreams || ofTenant >= maxStreamsPerTenant) return;
    const ending = new AbortController();
    const followed = { tenantId, row, ending, pending: new Map(), seen: new Set<string>(), shown: 0 };
    const done = this.run(followed).finally(() => this.activeStreams.delete(callId));
    this.activeStreams.set(callId, { ...followed, done });
  }

  /** Other processes follow the streams from their next polls on. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    const all = [...this.activeStreams.values()];
    for (const { ending } of all) ending.abort(new Error('the process is shutting down'));
    await Promise.all(all.map(({ done }) => done));
  }

  private async run(followed: FollowedStream): Promise<void> {
    const { tenantId, row, ending } = followed;
    const { callId, taskId } = row;
    const acquire = () =>
      this.database.tenant(
        { tenantId },
        async (tx) => (await tx.execute(acquireStream, [tenantId, callId, this.id, streamLeaseSeconds])) === 1,
      );
    let renewal: NodeJS.Timeout | undefined;
    let flushing: NodeJS.Timeout | undefined;
    let flush = Promise.resolve();
    try {
      if (!(await acquire())) return;
      const renew = async () => {
        if (!(await acquire())) ending.abort(new Error('the task has ended, or another process follows it'));
      };
      renewal = setInterval(
        () => void renew().catch((error: unknown) => ending.abort(error)),
        (streamLeaseSeconds * 1000) / 3,
      );
      flushing = setInterval(() => {
        flush = flush.then(() => this.flush(followed)).catch((error: unknown) => ending.abort(error));
      }, flushIntervalMs);
      await this.consume(followed);
      await flush;
      await this.flush(followed);
      this.failures.delete(callId);
    } catch (error) {
      if (this.isStopped) return;
      this.failures.set(callId, (this.failures.get(callId) ?? 0) + 1);
      if (this.failures.size > maxStreams * 10) this.failures.clear();
      this.log.info({ err: error, callId }, 'stream of a remote agent failed; its task is polled');
    } finally {
      clearInterval(renewal);
      clearInterval(flushing);
      await this.database
        .tenant({ tenantId }, (tx) => tx.execute(releaseStream, [tenantId, callId, this.id]))
        .catch((error: unknown) =>
          this.log.warn({ err: error, callId }, 'stream could not be released; its lease expires'),
        );
      if (!this.isStopped) this.parents.wake(tenantId, taskId);
    }
  }

  private async consume(followed: FollowedStream): Promise<void> {
    const { tenantId, row, ending } = followed;
    const principal = systemPrincipal(tenantId, 'tasks');
    const connection = await this.connections.find(principal, row.connectionId);
    if (!connection) return;
    const { context } = await this.connections.open(principal, connection, ending.signal);
    for await (const event of this.remoteTask.clientFor(context, row.address!).subscribe(row.remote!.taskId)) {
      ending.signal.throwIfAborted();
      this.handleEvent(followed, event);
      if (exceedsShownLimit(followed.shown) || isFinalEvent(event)) return;
    }
  }

  private handleEvent(followed: FollowedStream, { payload }: StreamResponse): void {
    const { row } = followed;
    switch (payload?.$case) {
      case 'task':
        this.handleSnapshot(followed, payload.value);
        break;
      case 'artifactUpdate': {
        const { taskId, artifact, append, lastChunk } = payload.value;
        if (taskId === row.remote!.taskId && artifact)
          this.addChunk(followed, toRemoteChunk(row, artifact, { append, lastChunk }));
        break;
      }
      case 'statusUpdate': {
        const { taskId, status } = payload.value;
        if (taskId === row.remote!.taskId && status?.state === TaskState.TASK_STATE_WORKING)
          followed.progress = progressOf(status.message) || followed.progress;
      }
    }
  }

  /** The state at the start of the stream. It replaces what an earlier stream published. */
  private handleSnapshot(followed: FollowedStream, { id, artifacts }: Task): void {
    const { row } = followed;
    if (id !== row.remote!.taskId) return;
    for (const artifact of artifacts)
      this.addChunk(followed, toRemoteChunk(row, artifact, { append: false, lastChunk: false }));
  }

  private addChunk(followed: FollowedStream, chunk: ArtifactChunk): void {
    const { pending, seen } = followed;
    const { artifactId, parts } = chunk;
    if (!parts.length && !chunk.lastChunk) return;
    followed.shown += partsLength(parts);
    const before = pending.get(artifactId);
    const append = chunk.append && (before ? before.append : seen.has(artifactId));
    pending.set(
      artifactId,
      chunk.append && before
        ? { ...chunk, append, parts: mergeTexts([...before.parts, ...parts]) }
        : { ...chunk, append },
    );
    seen.add(artifactId);
  }

  private async flush(followed: FollowedStream): Promise<void> {
    const { tenantId, row, pending, ending } = followed;
    const chunks = [...pending.values()];
    pending.clear();
    for (const chunk of chunks)
      if (!(await this.artifactPublisher.publishChunk(tenantId, row, chunk)))
        return ending.abort(new Error('the task has ended'));
    const { progress } = followed;
    followed.progress = undefined;
    if (progress) await this.artifactPublisher.publishProgress(tenantId, row, progress);
  }
}

/** The official client ignores `append` with HTTP+JSON 0.3: each chunk would replace the earlier ones. */
const losesAppend = ({ endpoint: { binding, version } }: RemoteAddress): boolean =>
  binding === 'HTTP+JSON' && version.startsWith('0.3');

/** After this event only polls continue: the task has ended or waits for input. */
function isFinalEvent({ payload }: StreamResponse): boolean {
  const status = payload?.$case === 'task' || payload?.$case === 'statusUpdate' ? payload.value.status : undefined;
  const state = status?.state ?? TaskState.TASK_STATE_WORKING;
  return state !== TaskState.TASK_STATE_WORKING && state !== TaskState.TASK_STATE_SUBMITTED;
}
