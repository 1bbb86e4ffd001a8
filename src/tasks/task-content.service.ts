import { Injectable } from '@nestjs/common';
import type { Artifact, ArtifactChunk, Part } from '../agent/agent-model.port.js';
import { SealService } from '../platform/crypto/seal.service.js';
import type { TaskStatus } from './task.entity.js';
import type { Advance } from './task-advances.sql.js';
import type { ItemRow } from './task-items.sql.js';

const remoteStatusColumn = 'standing';

/** A part as it is stored. */
interface SealedPart {
  sealed: string;
}
interface SealedStatus extends Omit<TaskStatus, 'message' | 'error'> {
  error?: { code: string; callId?: string };
  sealed?: string;
}
interface StatusContent {
  message?: TaskStatus['message'];
  missing?: string[];
  detail?: string;
}

/**
 * Seals the text of people, agents and tools before it reaches the database, as the ledger does with arguments and
 * results. States, times, ids, codes, and names of tools and artifacts stay clear, because statements read them. A
 * sealed value is bound to its task and to its kind. Clear rows of earlier versions stay readable until the background
 * migration has sealed them.
 */
@Injectable()
export class TaskContentService {
  constructor(private readonly seal: SealService) {}

  sealItem(taskId: string, { kind, body }: ItemRow): ItemRow {
    return { kind, body: this.sealText(taskId, `body ${kind}`, body) };
  }

  openItem<Row extends ItemRow>(taskId: string, row: Row): Row {
    return isClearBody(row.body) ? row : { ...row, body: this.openText(taskId, `body ${row.kind}`, row.body) };
  }

  sealStatus(taskId: string, status: TaskStatus): TaskStatus {
    if (!isClearStatus(status)) return status;
    const { message, error, metadata, ...clear } = status;
    const { missing, ...clearMetadata } = metadata ?? {};
    const { detail, ...clearError } = error ?? { detail: undefined };
    const content: StatusContent = { message, missing, detail };
    const sealed: SealedStatus = {
      ...clear,
      ...(metadata && { metadata: clearMetadata }),
      ...(error && { error: clearError as SealedStatus['error'] }),
      sealed: this.sealText(taskId, 'status', JSON.stringify(content)),
    };
    return sealed as TaskStatus;
  }

  openStatus(taskId: string, stored: TaskStatus): TaskStatus {
    const { sealed, ...clear } = stored as SealedStatus;
    if (sealed === undefined) return stored;
    const { message, missing, detail } = JSON.parse(this.openText(taskId, 'status', sealed)) as StatusContent;
    return {
      ...clear,
      ...(message && { message }),
      ...((clear.metadata || missing) && { metadata: { ...clear.metadata, ...(missing && { missing }) } }),
      ...(clear.error && { error: { ...clear.error, detail: detail ?? '' } }),
    } as TaskStatus;
  }

  sealArtifacts(taskId: string, artifacts: Artifact[]): Artifact[] {
    return artifacts.map((artifact) => this.sealArtifact(taskId, artifact));
  }

  openArtifacts(taskId: string, artifacts: Artifact[]): Artifact[] {
    return artifacts.map((artifact) => this.openArtifact(taskId, artifact));
  }

  sealChunk(taskId: string, chunk: ArtifactChunk): ArtifactChunk {
    return this.sealArtifact(taskId, chunk);
  }

  openChunk(taskId: string, chunk: ArtifactChunk): ArtifactChunk {
    return this.openArtifact(taskId, chunk);
  }

  /** Seals the status that a remote agent reported. */
  sealRemoteStatus<Status extends { state: string }>(callId: string, status: Status): Status {
    if (!isClearRemoteStatus(status)) return status;
    const sealed = this.sealText(callId, remoteStatusColumn, JSON.stringify(status));
    return { state: status.state, sealed } as unknown as Status;
  }

  openRemoteStatus<Status extends { state: string }>(callId: string, stored: Status): Status {
    const { sealed } = stored as { sealed?: string };
    return sealed === undefined ? stored : (JSON.parse(this.openText(callId, remoteStatusColumn, sealed)) as Status);
  }

  sealAdvance(taskId: string, { items, status, chunk, artifacts, ...advance }: Advance): Advance {
    return {
      ...advance,
      items: items.map((item) => this.sealItem(taskId, item)),
      ...(status && { status: this.sealStatus(taskId, status) }),
      ...(chunk && { chunk: this.sealChunk(taskId, chunk) }),
      ...(artifacts && { artifacts: this.sealArtifacts(taskId, artifacts) }),
    };
  }

  /** Opens a row of a task or of a task event. */
  openRow<Row extends { status: TaskStatus; artifacts: Artifact[] | null; chunk?: ArtifactChunk | null }>(
    taskId: string,
    row: Row,
  ): Row {
    return Object.assign(row, {
      status: this.openStatus(taskId, row.status),
      artifacts: row.artifacts && this.openArtifacts(taskId, row.artifacts),
      ...(row.chunk && { chunk: this.openChunk(taskId, row.chunk) }),
    });
  }

  /** Seals each part separately, so that the database can append chunks to an artifact without opening them. */
  private sealArtifact<Of extends Pick<Artifact, 'parts' | 'description'>>(taskId: string, artifact: Of): Of {
    const { description, ...clear } = artifact;
    return {
      ...clear,
      parts: artifact.parts.map((part) =>
        isSealedPart(part)
          ? part
          : ({ sealed: this.sealText(taskId, 'part', JSON.stringify(part)) } as unknown as Part),
      ),
      ...(description !== undefined && { sealedDescription: this.sealText(taskId, 'description', description) }),
    } as unknown as Of;
  }

  private openArtifact<Of extends Pick<Artifact, 'parts' | 'description'>>(taskId: string, stored: Of): Of {
    const { sealedDescription, ...clear } = stored as Of & { sealedDescription?: string };
    return {
      ...clear,
      parts: stored.parts.map((part) =>
        isSealedPart(part)
          ? (JSON.parse(this.openText(taskId, 'part', (part as unknown as SealedPart).sealed)) as Part)
          : part,
      ),
      ...(sealedDescription !== undefined && {
        description: this.openText(taskId, 'description', sealedDescription),
      }),
    } as unknown as Of;
  }

  private sealText(taskId: string, column: string, text: string): string {
    return this.seal.seal(text, { table: 'tasks', column, row: taskId }).toString('base64');
  }

  private openText(taskId: string, column: string, sealed: string): string {
    return this.seal.open(Buffer.from(sealed, 'base64'), { table: 'tasks', column, row: taskId }).toString();
  }
}

const isSealedPart = (part: Part): boolean => 'sealed' in part;
/** Clear bodies are JSON objects, sealed ones base64. */
const isClearBody = (body: string): boolean => body.startsWith('{');
const isClearStatus = ({ message, error, metadata }: TaskStatus): boolean =>
  message !== undefined || error?.detail !== undefined || metadata?.missing !== undefined;
const isClearRemoteStatus = (status: object): boolean => !('sealed' in status);
