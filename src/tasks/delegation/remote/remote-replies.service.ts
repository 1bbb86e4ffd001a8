import { Injectable } from '@nestjs/common';
import { Role, type Task, TaskState } from '@a2a-js/sdk';
import type { Part } from '../../../agent/agent-model.port.js';
import type { ConnectionContext } from '../../../connections/connector-registry.service.js';
import { NotSent } from '../../../connections/connections.error.js';
import { DatabaseService } from '../../../platform/database/database.service.js';
import type { Tx } from '../../../platform/database/tx.js';
import { LogService } from '../../../platform/telemetry/log.service.js';
import { TaskContentService } from '../../task-content.service.js';
import { markReplyHandled, findPendingReply, type PendingReply } from '../../delegations.sql.js';
import { delegationLimits } from '../limits.js';
import {
  claimReply,
  type ClaimedReply,
  endReply,
  releaseReply,
  type RemoteDelegation,
} from './remote-delegations.sql.js';
import { isMessage, RemoteTaskService, requireSameTask } from './remote-task.service.js';
import { RefusedByAgent } from './remote-agent-client.js';

/** `pending`: being sent, or sent again at the next poll. `undelivered`: the row contains the reason. */
export type ReplyDelivery = 'none' | 'delivered' | 'pending' | 'undelivered';

const maxReplyAttempts = 5;
/** Messages of history to read when checking whether a reply arrived. */
const historyLength = 100;
const { unreachableMinutes } = delegationLimits;

/**
 * Forwards the caller's replies to a remote agent. Each is delivered once or reported as undelivered: after an attempt
 * with an unknown outcome, the history of the remote task shows whether it arrived, and only if not is the same message
 * sent again.
 */
@Injectable()
export class RemoteRepliesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly remoteTask: RemoteTaskService,
    private readonly content: TaskContentService,
    private readonly log: LogService,
  ) {}

  async forward(context: ConnectionContext, row: RemoteDelegation): Promise<ReplyDelivery> {
    const { tenantId } = context.connection;
    const { callId } = row;
    const message = await this.inTenant(tenantId, (tx) => findPendingReply(tx, tenantId, callId, this.content));
    if (!message) return row.replyNotice === null ? 'none' : 'undelivered';
    const { position } = message;
    const seconds = this.remoteTask.maxRequestMs / 1000;
    const claimed = await this.inTenant(tenantId, (tx) => tx.one(claimReply, [tenantId, callId, position, seconds]));
    if (!claimed) return 'pending';
    try {
      const hasArrived = claimed.attempts > 1 && (await this.hasArrived(context, row, position));
      if (!hasArrived && claimed.attempts > maxReplyAttempts)
        return await this.complete(tenantId, row, position, `all ${maxReplyAttempts} attempts failed`);
      if (!hasArrived) await this.send(context, row, message);
      return await this.complete(tenantId, row, position, null);
    } catch (error) {
      this.log.warn({ err: error, callId }, 'reply may not have reached the remote agent');
      return this.handleFailure(tenantId, row, { position, claimed, error });
    }
  }

  private async handleFailure(
    tenantId: string,
    row: RemoteDelegation,
    { position, claimed, error }: { position: number; claimed: ClaimedReply; error: unknown },
  ): Promise<ReplyDelivery> {
    const { callId } = row;
    if (error instanceof DeliveryUnknown) return this.complete(tenantId, row, position, error.message);
    if (error instanceof RefusedByAgent && error.reason !== 'not now')
      return this.complete(tenantId, row, position, `the agent refused it (${error.message})`);
    const mayHaveArrived = !(
      error instanceof NotSent ||
      error instanceof RefusedByAgent ||
      error instanceof HistoryUnavailable
    );
    if (!mayHaveArrived && Date.now() - claimed.since.getTime() > unreachableMinutes * 60_000)
      return this.complete(tenantId, row, position, `the agent was unreachable for ${unreachableMinutes} minutes`);
    await this.inTenant(tenantId, (tx) =>
      tx.execute(releaseReply, [tenantId, callId, position, mayHaveArrived ? 0 : 1]),
    );
    return 'pending';
  }

  /** Whether an earlier attempt arrived. Throws `DeliveryUnknown` if the agent's history does not show it. */
  private async hasArrived(
    context: ConnectionContext,
    { callId, address, remote }: RemoteDelegation,
    position: number,
  ): Promise<boolean> {
    const task = await this.remoteTask
      .clientFor(context, address!)
      .get(remote!.taskId, historyLength)
      .catch((error: unknown) => {
        throw new HistoryUnavailable('the agent did not report the status of its task', { cause: error });
      });
    await this.remoteTask.recordResponse(context.connection.tenantId, callId, requireSameTask(task, remote!));
    if (task.status?.state !== TaskState.TASK_STATE_INPUT_REQUIRED) return true;
    const ids = userMessageIds(task);
    if (ids.has(messageIdOf(callId, position))) return true;
    // the history contains the message that started the task, so it would also contain the reply
    if (ids.has(callId)) return false;
    throw new DeliveryUnknown('the agent’s response was lost, so it is unknown whether the message arrived');
  }

  private async send(
    context: ConnectionContext,
    { callId, address, remote }: RemoteDelegation,
    { body, position }: PendingReply,
  ): Promise<void> {
    const { parts } = JSON.parse(body) as { parts: Part[] };
    const messageId = messageIdOf(callId, position);
    const answer = await this.remoteTask.clientFor(context, address!).send({ messageId, parts, ...remote! });
    // a bare message has no task status: the task continues
    if (isMessage(answer)) return this.remoteTask.recordWorking(context.connection.tenantId, callId);
    await this.remoteTask.recordResponse(context.connection.tenantId, callId, requireSameTask(answer, remote!));
  }

  private async complete(
    tenantId: string,
    { callId }: RemoteDelegation,
    position: number,
    notice: string | null,
  ): Promise<ReplyDelivery> {
    await this.inTenant(tenantId, async (tx) => {
      await endReply(tx, tenantId, { callId, position, notice }, this.content);
      await tx.execute(markReplyHandled, [tenantId, callId, position, notice === null]);
    });
    return notice === null ? 'delivered' : 'undelivered';
  }

  private inTenant<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.tenant({ tenantId }, work);
  }
}

/** This attempt sent nothing, because the history that shows whether an earlier one arrived could not be read. */
class HistoryUnavailable extends Error {}
/** The history cannot show whether an earlier attempt arrived. */
class DeliveryUnknown extends Error {}

/** The same for each attempt, so that the agent can recognize a repeated message. */
const messageIdOf = (callId: string, position: number): string => `${callId}:${position}`;

const userMessageIds = ({ history }: Task): ReadonlySet<string> =>
  new Set(history.filter(({ role }) => role === Role.ROLE_USER).map(({ messageId }) => messageId));
