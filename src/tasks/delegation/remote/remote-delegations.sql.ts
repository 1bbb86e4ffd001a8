import { statement } from '../../../platform/database/statement.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { CredentialHeader, RemoteEndpoint } from './remote-card.js';
import type { TaskContentService } from '../../task-content.service.js';
import type { RemoteTaskStatus } from './remote-task-status.js';

/** Where the task was sent. Polls go to the same agent. */
export interface RemoteAddress {
  agent: string;
  endpoint: RemoteEndpoint;
  door: CredentialHeader;
  isStreaming?: boolean;
}

/** A task delegated to a remote agent. */
export interface RemoteDelegation {
  callId: string;
  /** Local stand-in for the remote task: no row of `tasks` has this id. */
  taskId: string;
  connectionId: string;
  createdAt: Date;
  isParentOver: boolean;
  /** The last attempt that sent it. */
  attempt: number;
  sentAt: Date | null;
  address: RemoteAddress | null;
  /** Null: the agent has not reported the id of its task yet. */
  remote: { taskId: string; contextId: string } | null;
  /** The last status that the agent reported. */
  status: RemoteTaskStatus | null;
  /** When the last message was sent to the agent. */
  lastSentAt: Date;
  /** Since when polls have had no response. */
  silentSince: Date | null;
  /** Why the caller's last reply to the agent's question was not delivered. */
  replyNotice: string | null;
  parentTaskId: string | null;
  /** Parts of its artifacts were shown before it ended. */
  isShown: boolean;
}

export const remoteDelegation = statement<[tenantId: string, callId: string], RemoteDelegation>(
  `
    select d.call_id as "callId", d.task_id as "taskId", r.connection_id as "connectionId", d.created_at as "createdAt",
           coalesce(p.state in ('completed', 'failed', 'canceled', 'rejected'), false) as "isParentOver",
           r.attempt, r.sent_at as "sentAt", r.address,
           case when r.remote_task_id is null then null else
             jsonb_build_object('taskId', r.remote_task_id, 'contextId', r.remote_context_id)
           end as remote,
           r.standing as status, r.told_at as "lastSentAt", r.silent_since as "silentSince", r.reply_notice as "replyNotice",
           d.parent_task_id as "parentTaskId", r.is_shown as "isShown"
    from remote_delegations r
    join task_delegations d on d.tenant_id = r.tenant_id and d.call_id = r.call_id
    left join tasks p on p.tenant_id = d.tenant_id and p.id = d.parent_task_id
    where r.tenant_id = $1 and r.call_id = $2`,
  { name: 'remote-delegation-find' },
);

export async function findRemote(
  tx: Tx,
  tenantId: string,
  callId: string,
  content: TaskContentService,
): Promise<RemoteDelegation | null> {
  const row = await tx.one(remoteDelegation, [tenantId, callId]);
  if (row?.status) row.status = content.openRemoteStatus(callId, row.status);
  if (row?.replyNotice) row.replyNotice = openNotice(callId, row.replyNotice, content);
  return row;
}

export const addRemote = statement<[tenantId: string, callId: string, connectionId: string]>(
  `insert into remote_delegations (tenant_id, call_id, connection_id) values ($1, $2, $3)
   on conflict (tenant_id, call_id) do nothing`,
  { name: 'remote-delegation-add' },
);

/** One row: the caller claimed this attempt and has to send the task. */
export const claimSend = statement<[tenantId: string, callId: string, attempt: number, address: RemoteAddress]>(
  `update remote_delegations set attempt = $3, sent_at = clock_timestamp(), told_at = clock_timestamp(), address = $4
   where tenant_id = $1 and call_id = $2 and attempt < $3 and remote_task_id is null and standing is null`,
  { name: 'remote-delegation-claim' },
);

export const storeRemoteStatus = statement<
  [
    tenantId: string,
    callId: string,
    status: RemoteTaskStatus,
    remoteTaskId: string | null,
    remoteContextId: string | null,
  ]
>(
  `
    update remote_delegations set
      standing = $3, silent_since = null,
      remote_task_id = coalesce(remote_task_id, $4), remote_context_id = coalesce(remote_context_id, $5)
    where tenant_id = $1 and call_id = $2
      and coalesce(standing ->> 'state', '') not in ('completed', 'failed', 'canceled', 'rejected')`,
  { name: 'remote-delegation-status' },
);

/** Records the status that the agent reported. A terminal status is never overwritten. */
export async function recordRemoteStatus(
  tx: Tx,
  tenantId: string,
  callId: string,
  { status, remote }: { status: RemoteTaskStatus; remote?: { taskId: string; contextId: string } },
  content: TaskContentService,
): Promise<void> {
  const sealed = content.sealRemoteStatus(callId, status);
  const { taskId = null, contextId = null } = remote ?? {};
  await tx.execute(storeRemoteStatus, [tenantId, callId, sealed, taskId, contextId]);
}

export interface ClaimedReply {
  /** Attempts that may have arrived, including this one. */
  attempts: number;
  /** Time of the first attempt. */
  since: Date;
}
/** No row: another process is sending this reply, or its sender died a moment ago. */
export const claimReply = statement<
  [tenantId: string, callId: string, position: number, seconds: number],
  ClaimedReply
>(
  `
    update remote_delegations set
      answered = $3, told_at = clock_timestamp(), reply_notice = null,
      reply_attempts = case when answered = $3 then reply_attempts else 0 end + 1,
      reply_since = case when answered = $3 then coalesce(reply_since, clock_timestamp()) else clock_timestamp() end,
      replying_until = clock_timestamp() + $4 * interval '1 second'
    where tenant_id = $1 and call_id = $2 and answered <= $3 and coalesce(replying_until <= clock_timestamp(), true)
    returning reply_attempts as attempts, reply_since as since`,
  { name: 'remote-delegation-claim-reply', neverNull: ['since'] },
);

/** Releases the reply for another attempt. `uncounted`: 1 if this attempt certainly did not arrive, else 0. */
export const releaseReply = statement<[tenantId: string, callId: string, position: number, uncounted: 0 | 1]>(
  `update remote_delegations set replying_until = null, reply_attempts = reply_attempts - $4::int
   where tenant_id = $1 and call_id = $2 and answered = $3`,
  { name: 'remote-delegation-release-reply' },
);

export const storeReplyEnd = statement<[tenantId: string, callId: string, position: number, notice: string | null]>(
  `update remote_delegations set replying_until = null, reply_attempts = 0, reply_since = null, reply_notice = $4
   where tenant_id = $1 and call_id = $2 and answered = $3`,
  { name: 'remote-delegation-end-reply' },
);

/** Ends the reply: delivered if `notice` is null, otherwise abandoned for the reason in `notice`. */
export async function endReply(
  tx: Tx,
  tenantId: string,
  { callId, position, notice }: { callId: string; position: number; notice: string | null },
  content: TaskContentService,
): Promise<void> {
  const sealed = notice === null ? null : sealNotice(callId, notice, content);
  await tx.execute(storeReplyEnd, [tenantId, callId, position, sealed]);
}

/** Sealed, because it may contain text of the agent. */
const sealNotice = (callId: string, notice: string, content: TaskContentService): string =>
  JSON.stringify(content.sealRemoteStatus(callId, { state: 'undelivered', notice }));

const openNotice = (callId: string, stored: string, content: TaskContentService): string =>
  content.openRemoteStatus(callId, JSON.parse(stored) as { state: string; notice: string }).notice;

/** Records that a poll had no response. */
export const recordNoResponse = statement<[tenantId: string, callId: string]>(
  `update remote_delegations set silent_since = coalesce(silent_since, clock_timestamp())
   where tenant_id = $1 and call_id = $2`,
  { name: 'remote-delegation-silence' },
);

/**
 * One row: this process holds the agent's stream. Only one process does at a time, and only while the parent task is
 * open.
 */
export const acquireStream = statement<[tenantId: string, callId: string, processId: string, seconds: number]>(
  `
    update remote_delegations r set stream_by = $3, stream_until = clock_timestamp() + $4 * interval '1 second'
    from task_delegations d join tasks p on p.tenant_id = d.tenant_id and p.id = d.parent_task_id
    where r.tenant_id = $1 and r.call_id = $2 and d.tenant_id = r.tenant_id and d.call_id = r.call_id
      and (r.stream_by = $3 or coalesce(r.stream_until <= clock_timestamp(), true))
      and p.state in ('submitted', 'working', 'input-required')
      and coalesce(r.standing ->> 'state', '') not in ('completed', 'failed', 'canceled', 'rejected')`,
  { name: 'remote-delegation-stream' },
);

export const releaseStream = statement<[tenantId: string, callId: string, processId: string]>(
  `update remote_delegations set stream_by = null, stream_until = null
   where tenant_id = $1 and call_id = $2 and stream_by = $3`,
  { name: 'remote-delegation-stream-release' },
);

export const recordArtifactsShown = statement<[tenantId: string, callId: string]>(
  'update remote_delegations set is_shown = true where tenant_id = $1 and call_id = $2 and not is_shown',
  { name: 'remote-delegation-shown' },
);
