import { Injectable } from '@nestjs/common';
import type { Artifact as SdkArtifact } from '@a2a-js/sdk';
import { isDeepStrictEqual } from 'node:util';
import type { ArtifactChunk, Part } from '../../../agent/agent-model.port.js';
import { sha256 } from '../../../platform/crypto/digest.js';
import { DatabaseService } from '../../../platform/database/database.service.js';
import { workingStatus } from '../../task-status.js';
import { TaskContentService } from '../../task-content.service.js';
import { TaskFeedService } from '../../task-feed.service.js';
import { loadTaskArtifacts, recordDelegateProgress } from '../../tasks.sql.js';
import { truncateText } from './remote-card.js';
import { recordArtifactsShown, type RemoteDelegation } from './remote-delegations.sql.js';
import { toForwardedParts } from './remote-task-status.js';

type ArtifactSource = Pick<RemoteDelegation, 'callId' | 'parentTaskId' | 'address'>;

/** Characters shown per remote task. Longer artifacts appear only in its result. */
const maxShownLength = 500_000;
const maxArtifactNameLength = 200;

/** Publishes the intermediate output of a remote agent on the stream of the parent task. */
@Injectable()
export class RemoteArtifactPublisher {
  constructor(
    private readonly database: DatabaseService,
    private readonly feed: TaskFeedService,
    private readonly content: TaskContentService,
  ) {}

  /** False: the parent task has ended. */
  async publishChunk(tenantId: string, source: ArtifactSource, chunk: ArtifactChunk): Promise<boolean> {
    const sealed = this.content.sealChunk(source.parentTaskId!, chunk);
    const recorded = await this.database.tenant({ tenantId }, async (tx) => {
      await tx.execute(recordArtifactsShown, [tenantId, source.callId]);
      return tx.one(recordDelegateProgress, [tenantId, source.parentTaskId!, sealed, null]);
    });
    if (recorded)
      this.feed.publish(source.parentTaskId!, [
        this.content.openRow(source.parentTaskId!, { ...recorded, artifacts: null, chunk }),
      ]);
    return recorded !== null;
  }

  /** Publishes the agent's progress message, unless the task has another status to show. */
  async publishProgress(tenantId: string, { parentTaskId, address }: ArtifactSource, text: string): Promise<void> {
    const status = this.content.sealStatus(parentTaskId!, workingStatus(`"${address!.agent}": ${text}`));
    const recorded = await this.database.tenant({ tenantId }, (tx) =>
      tx.one(recordDelegateProgress, [tenantId, parentTaskId!, null, status]),
    );
    if (recorded)
      this.feed.publish(parentTaskId!, [this.content.openRow(parentTaskId!, { ...recorded, artifacts: null })]);
  }

  /**
   * Replaces shown artifacts with the final ones after the remote task has ended, in case its stream failed or was
   * incomplete.
   */
  async publishFinal(tenantId: string, source: ArtifactSource, artifacts: readonly SdkArtifact[]): Promise<void> {
    if (source.parentTaskId === null) return;
    const stored = await this.database.tenant({ tenantId }, (tx) =>
      loadTaskArtifacts(tx, tenantId, source.parentTaskId!),
    );
    const before = this.content.openArtifacts(source.parentTaskId!, stored);
    for (const artifact of artifacts) {
      const chunk = toRemoteChunk(source, artifact, { append: false, lastChunk: true });
      const shown = before.find(({ artifactId }) => artifactId === chunk.artifactId);
      const isThere = shown && isDeepStrictEqual(mergeTexts(shown.parts), chunk.parts);
      if (!isThere && chunk.parts.length && partsLength(chunk.parts) <= maxShownLength)
        await this.publishChunk(tenantId, source, chunk);
    }
  }
}

export const exceedsShownLimit = (shown: number): boolean => shown > maxShownLength;

export const partsLength = (parts: readonly Part[]): number => JSON.stringify(parts).length;

/** The artifact id is unique within the parent task. */
export function toRemoteChunk(
  { callId, address }: ArtifactSource,
  { artifactId, name, parts }: SdkArtifact,
  how: Pick<ArtifactChunk, 'append' | 'lastChunk'>,
): ArtifactChunk {
  const id = sha256(artifactId).toString('base64url').slice(0, 16);
  return {
    artifactId: `${callId}.${id}`,
    name: truncateText(name, maxArtifactNameLength) || address!.agent,
    parts: mergeTexts(toForwardedParts(parts)),
    ...how,
  };
}

/** Merges adjacent text parts, because one stored row per token would be too much. */
export function mergeTexts(parts: readonly Part[]): Part[] {
  const list: Part[] = [];
  for (const part of parts) {
    const last = list.at(-1);
    if (last && 'text' in last && 'text' in part) list[list.length - 1] = { text: last.text + part.text };
    else list.push(part);
  }
  return list;
}
