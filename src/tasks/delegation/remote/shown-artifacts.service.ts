import { Injectable } from '@nestjs/common';
import type { Artifact as SdkArtifact } from '@a2a-js/sdk';
import { isDeepStrictEqual } from 'node:util';
import type { ArtifactChunk, Part } from '../../../agent/agent-model.service.js';
import { sha256 } from '../../../platform/crypto/digest.js';
import { Database } from '../../../platform/database/database.service.js';
import { working } from '../../status.js';
import { TaskContent } from '../../task-content.service.js';
import { TaskFeed } from '../../task-feed.service.js';
import { artifactsOf, showBelow } from '../../tasks.sql.js';
import { short } from './remote-card.js';
import { noteShown, type RemoteDelegation } from './remote-delegations.sql.js';
import { passedOnParts } from './remote-standing.js';

type Of = Pick<RemoteDelegation, 'callId' | 'parentTaskId' | 'address'>;

/** Of one agent about one task; what is longer is in its answer, as far as that goes. */
const longestShown = 500_000;
const longestName = 200;

/** What a remote agent shows while it works, on the stream of the task that it is a part of. */
@Injectable()
export class ShownArtifacts {
  constructor(
    private readonly database: Database,
    private readonly feed: TaskFeed,
    private readonly content: TaskContent,
  ) {}

  /** False: the task has ended. */
  async piece(tenantId: string, of: Of, chunk: ArtifactChunk): Promise<boolean> {
    const sealed = this.content.sealChunk(of.parentTaskId!, chunk);
    const told = await this.database.tenant({ tenantId }, async (tx) => {
      await noteShown(tx, tenantId, of.callId);
      return showBelow(tx, tenantId, of.parentTaskId!, { chunk: sealed });
    });
    if (told)
      this.feed.tell(of.parentTaskId!, [this.content.openRow(of.parentTaskId!, { ...told, artifacts: null, chunk })]);
    return told !== null;
  }

  /** Publishes the agent's progress message, unless the task has another status to show. */
  async progress(tenantId: string, { parentTaskId, address }: Of, text: string): Promise<void> {
    const status = this.content.sealStatus(parentTaskId!, working(`"${address!.agent}": ${text}`));
    const told = await this.database.tenant({ tenantId }, (tx) => showBelow(tx, tenantId, parentTaskId!, { status }));
    if (told) this.feed.tell(parentTaskId!, [this.content.openRow(parentTaskId!, { ...told, artifacts: null })]);
  }

  /** The agent's task has ended: what was shown becomes what its artifacts are, should a stream have broken off or gone wrong. */
  async complete(tenantId: string, of: Of, artifacts: readonly SdkArtifact[]): Promise<void> {
    if (of.parentTaskId === null) return;
    const stored = await this.database.tenant({ tenantId }, (tx) => artifactsOf(tx, tenantId, of.parentTaskId!));
    const before = this.content.openArtifacts(of.parentTaskId!, stored);
    for (const artifact of artifacts) {
      const chunk = chunkOf(of, artifact, { append: false, lastChunk: true });
      const shown = before.find(({ artifactId }) => artifactId === chunk.artifactId);
      const isThere = shown && isDeepStrictEqual(merged(shown.parts), chunk.parts);
      if (!isThere && chunk.parts.length && sizeOf(chunk.parts) <= longestShown) await this.piece(tenantId, of, chunk);
    }
  }
}

export const isTooLong = (shown: number): boolean => shown > longestShown;

export const sizeOf = (parts: readonly Part[]): number => JSON.stringify(parts).length;

/** Its id is unique among the artifacts of the task above. */
export function chunkOf(
  { callId, address }: Of,
  { artifactId, name, parts }: SdkArtifact,
  how: Pick<ArtifactChunk, 'append' | 'lastChunk'>,
): ArtifactChunk {
  const id = sha256(artifactId).toString('base64url').slice(0, 16);
  return {
    artifactId: `${callId}.${id}`,
    name: short(name, longestName) || address!.agent,
    parts: merged(passedOnParts(parts)),
    ...how,
  };
}

/** Neighbouring texts as one: a token each is too small a piece to be stored. */
export function merged(parts: readonly Part[]): Part[] {
  const list: Part[] = [];
  for (const part of parts) {
    const last = list.at(-1);
    if (last && 'text' in last && 'text' in part) list[list.length - 1] = { text: last.text + part.text };
    else list.push(part);
  }
  return list;
}
