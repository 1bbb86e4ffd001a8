import type { EntityManager } from 'typeorm';
import type { Artifact, ArtifactChunk } from '../agent/agent-model.port.js';
import {
  hasClearParts,
  isClearBody,
  isClearRemoteStatus,
  isClearStatus,
  type TaskContentService,
} from './task-content.service.js';
import type { TaskStatus } from './task.entity.js';
import type { ItemRow } from './tasks.sql.js';

/* Scans the tables of all tenants by primary key. New rows are already sealed, so one pass is enough. */

export const sealingParts = ['task_items', 'task_events', 'tasks', 'remote_delegations'] as const;
export type SealingPart = (typeof sealingParts)[number];
/** `busy`: another process works on this part. */
export type SealingStep = 'more' | 'finished' | 'done before' | 'busy';

interface SealingRow {
  tenant_id: string;
  task_id: string;
  position: number;
}
interface Sealable {
  select: string;
  update: string;
  /** The values of the update after the key; null: nothing is unsealed. */
  values(content: TaskContentService, row: never): unknown[] | null;
}

const sealables: Record<SealingPart, Sealable> = {
  task_items: {
    select: `
      select tenant_id, task_id, position, kind, body from task_items
      where (tenant_id, task_id, position) > ($1, $2, $3) order by tenant_id, task_id, position limit $4`,
    update: 'update task_items set body = $4 where tenant_id = $1 and task_id = $2 and position = $3',
    values: (content, row: SealingRow & ItemRow) =>
      isClearBody(row.body) ? [content.sealItem(row.task_id, row).body] : null,
  },
  task_events: {
    select: `
      select tenant_id, task_id, number as position, status, chunk from task_events
      where (tenant_id, task_id, number) > ($1, $2, $3) order by tenant_id, task_id, number limit $4`,
    update: 'update task_events set status = $4, chunk = $5 where tenant_id = $1 and task_id = $2 and number = $3',
    values: (
      content,
      { task_id: id, status, chunk }: SealingRow & { status: TaskStatus; chunk: ArtifactChunk | null },
    ) =>
      isClearStatus(status) || (chunk && hasClearParts(chunk.parts))
        ? [JSON.stringify(content.sealStatus(id, status)), chunk && JSON.stringify(content.sealChunk(id, chunk))]
        : null,
  },
  tasks: {
    // locks the rows, because a runner may write the same columns
    select: `
      select tenant_id, id as task_id, 0 as position, status, artifacts from tasks
      where (tenant_id, id) > ($1, $2) and $3::int is not null order by tenant_id, id limit $4 for no key update`,
    update: 'update tasks set status = $4, artifacts = $5 where tenant_id = $1 and id = $2 and $3::int is not null',
    values: (
      content,
      { task_id: id, status, artifacts }: SealingRow & { status: TaskStatus; artifacts: Artifact[] | null },
    ) =>
      isClearStatus(status) || artifacts?.some((artifact) => hasClearParts(artifact.parts))
        ? [
            JSON.stringify(content.sealStatus(id, status)),
            artifacts && JSON.stringify(content.sealArtifacts(id, artifacts)),
          ]
        : null,
  },
  remote_delegations: {
    select: `
      select tenant_id, call_id as task_id, 0 as position, standing from remote_delegations
      where (tenant_id, call_id) > ($1, $2) and $3::int is not null order by tenant_id, call_id limit $4 for no key update`,
    update: 'update remote_delegations set standing = $4 where tenant_id = $1 and call_id = $2 and $3::int is not null',
    values: (content, { task_id: callId, standing }: SealingRow & { standing: { state: string } | null }) =>
      standing && isClearRemoteStatus(standing) ? [JSON.stringify(content.sealRemoteStatus(callId, standing))] : null,
  },
};

const nilId = '00000000-0000-0000-0000-000000000000';

export async function sealNext(
  tx: EntityManager,
  part: SealingPart,
  content: TaskContentService,
  limit: number,
): Promise<SealingStep> {
  const [progress] = await tx.query<{ after: SealingRow | null; done_at: Date | null }[]>(
    'select after, done_at from task_sealing where part = $1 for update skip locked',
    [part],
  );
  if (!progress) return 'busy';
  if (progress.done_at) return 'done before';
  const { select, update, values } = sealables[part];
  const { tenant_id = nilId, task_id = nilId, position = -1 } = progress.after ?? {};
  const rows = await tx.query<SealingRow[]>(select, [tenant_id, task_id, position, limit]);
  for (const row of rows) {
    const sealed = values(content, row as never);
    if (sealed) await tx.query(update, [row.tenant_id, row.task_id, row.position, ...sealed]);
  }
  const last = rows.at(-1);
  if (rows.length < limit) {
    await tx.query('update task_sealing set done_at = now() where part = $1', [part]);
    return 'finished';
  }
  const after = { tenant_id: last!.tenant_id, task_id: last!.task_id, position: last!.position };
  await tx.query('update task_sealing set after = $2 where part = $1', [part, JSON.stringify(after)]);
  return 'more';
}
