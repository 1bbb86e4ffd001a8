import type { EntityManager } from 'typeorm';
import { client } from '../../../platform/database/database.service.js';
import type { Door, Endpoint } from './remote-card.js';
import type { RemoteStanding } from './remote-standing.js';

/** Where it was sent: the same agent is asked how it stands. */
export interface RemoteAddress {
  agent: string;
  endpoint: Endpoint;
  door: Door;
}

/** A task that an agent elsewhere was handed. */
export interface RemoteDelegation {
  callId: string;
  /** Stands for it among our own: no task has this id. */
  taskId: string;
  connectionId: string;
  createdAt: Date;
  isParentOver: boolean;
  /** How often it was sent, at last when and to whom. */
  attempt: number;
  sentAt: Date | null;
  address: RemoteAddress | null;
  /** Null: the agent has not said what it calls it. */
  remote: { taskId: string; contextId: string } | null;
  standing: RemoteStanding | null;
  /** When the agent was last told something. */
  toldAt: Date;
  /** Since when it has not said how the task stands, though it was asked. */
  silentSince: Date | null;
  /** Position of the newest message that was sent on. */
  answered: number;
}

const found = {
  name: 'remote-delegation-find',
  text: `
    select d.call_id as "callId", d.task_id as "taskId", r.connection_id as "connectionId", d.created_at as "createdAt",
           coalesce(p.state in ('completed', 'failed', 'canceled', 'rejected'), false) as "isParentOver",
           r.attempt, r.sent_at as "sentAt", r.address,
           case when r.remote_task_id is null then null else
             jsonb_build_object('taskId', r.remote_task_id, 'contextId', r.remote_context_id)
           end as remote,
           r.standing, r.told_at as "toldAt", r.silent_since as "silentSince", r.answered
    from remote_delegations r
    join task_delegations d on d.tenant_id = r.tenant_id and d.call_id = r.call_id
    left join tasks p on p.tenant_id = d.tenant_id and p.id = d.parent_task_id
    where r.tenant_id = $1 and r.call_id = $2`,
};
export async function findRemote(
  tx: EntityManager,
  tenantId: string,
  callId: string,
): Promise<RemoteDelegation | null> {
  const connection = await client(tx);
  const { rows } = await connection.query<RemoteDelegation>({ ...found, values: [tenantId, callId] });
  return rows[0] ?? null;
}

export async function addRemote(
  tx: EntityManager,
  tenantId: string,
  { callId, connectionId }: { callId: string; connectionId: string },
): Promise<void> {
  const connection = await client(tx);
  await connection.query({
    name: 'remote-delegation-add',
    text: `
      insert into remote_delegations (tenant_id, call_id, connection_id) values ($1, $2, $3)
      on conflict (tenant_id, call_id) do nothing`,
    values: [tenantId, callId, connectionId],
  });
}

/** True: whoever asks is the one who sends it, in this attempt. */
export async function claimSending(
  tx: EntityManager,
  tenantId: string,
  { callId, attempt, address }: { callId: string; attempt: number; address: RemoteAddress },
): Promise<boolean> {
  const connection = await client(tx);
  const { rowCount } = await connection.query({
    name: 'remote-delegation-claim',
    text: `
      update remote_delegations set attempt = $3, sent_at = clock_timestamp(), told_at = clock_timestamp(), address = $4
      where tenant_id = $1 and call_id = $2 and attempt < $3 and remote_task_id is null and standing is null`,
    values: [tenantId, callId, attempt, JSON.stringify(address)],
  });
  return rowCount === 1;
}
/** What the agent said of it. A task that has ended stays so. */
export async function noteStanding(
  tx: EntityManager,
  tenantId: string,
  callId: string,
  { standing, remote }: { standing: RemoteStanding; remote?: { taskId: string; contextId: string } },
): Promise<void> {
  const connection = await client(tx);
  await connection.query({
    name: 'remote-delegation-note',
    text: `
      update remote_delegations set
        standing = $3, silent_since = null,
        remote_task_id = coalesce(remote_task_id, $4), remote_context_id = coalesce(remote_context_id, $5)
      where tenant_id = $1 and call_id = $2
        and coalesce(standing ->> 'state', '') not in ('completed', 'failed', 'canceled', 'rejected')`,
    values: [tenantId, callId, JSON.stringify(standing), remote?.taskId ?? null, remote?.contextId ?? null],
  });
}

/** True: whoever asks is the one who sends this message on. */
export async function claimAnswer(
  tx: EntityManager,
  tenantId: string,
  callId: string,
  position: number,
): Promise<boolean> {
  const connection = await client(tx);
  const { rowCount } = await connection.query({
    name: 'remote-delegation-answer',
    text: `
      update remote_delegations set answered = $3, told_at = clock_timestamp()
      where tenant_id = $1 and call_id = $2 and answered < $3`,
    values: [tenantId, callId, position],
  });
  return rowCount === 1;
}

/** It surely did not leave. */
export async function unclaimAnswer(
  tx: EntityManager,
  tenantId: string,
  callId: string,
  { position, before }: { position: number; before: number },
): Promise<void> {
  const connection = await client(tx);
  await connection.query({
    name: 'remote-delegation-unanswer',
    text: 'update remote_delegations set answered = $4 where tenant_id = $1 and call_id = $2 and answered = $3',
    values: [tenantId, callId, position, before],
  });
}

/** It was asked how the task stands, and did not say. */
export async function noteSilence(tx: EntityManager, tenantId: string, callId: string): Promise<void> {
  const connection = await client(tx);
  await connection.query({
    name: 'remote-delegation-silence',
    text: `
      update remote_delegations set silent_since = coalesce(silent_since, clock_timestamp())
      where tenant_id = $1 and call_id = $2`,
    values: [tenantId, callId],
  });
}
