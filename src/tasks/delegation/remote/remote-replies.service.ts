import { Injectable } from '@nestjs/common';
import { Role, type Task, TaskState } from '@a2a-js/sdk';
import type { EntityManager } from 'typeorm';
import type { Part } from '../../../agent/agent-model.port.js';
import type { ConnectionContext } from '../../../connections/connector-registry.service.js';
import { NotSent } from '../../../connections/connections.error.js';
import { DatabaseService } from '../../../platform/database/database.service.js';
import { LogService } from '../../../platform/telemetry/log.service.js';
import { TaskContentService } from '../../task-content.service.js';
import { markReplyHandled, findPendingReply, type PendingReply } from '../delegations.sql.js';
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

/** `pending`: it is being sent, or is sent again at the next poll. `undelivered`: the row says why. */
export type ReplyDelivery = 'none' | 'delivered' | 'pending' | 'undelivered';

const maxReplyAttempts = 5;
/** How many messages are read to find out whether one arrived. */
const historyLength = 100;
const { unreachableMinutes } = delegationLimits;

/**
 * Replies of the caller to what an agent elsewhere asks. Each is delivered once, or reported as not delivered: where an attempt
 * had no clear outcome, the history of the agent's task says whether it arrived, and the same message is sent again only if not.
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
    const claimed = await this.inTenant(tenantId, (tx) => claimReply(tx, tenantId, { callId, position, seconds }));
    if (!claimed) return 'pending';
    try {
      const hasArrived = claimed.attempts > 1 && (await this.hasArrived(context, row, position));
      if (!hasArrived && claimed.attempts > maxReplyAttempts)
        return await this.complete(tenantId, row, position, `it did not accept it in ${maxReplyAttempts} attempts`);
      if (!hasArrived) await this.send(context, row, message);
      return await this.complete(tenantId, row, position, null);
    } catch (error) {
      this.log.warn({ err: error, callId }, 'a reply may not have reached the agent that asked');
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
      return this.complete(tenantId, row, position, `it refused it (${error.message})`);
    const mayHaveArrived = !(
      error instanceof NotSent ||
      error instanceof RefusedByAgent ||
      error instanceof HistoryUnavailable
    );
    if (!mayHaveArrived && Date.now() - claimed.since.getTime() > unreachableMinutes * 60_000)
      return this.complete(tenantId, row, position, `it could not be reached for ${unreachableMinutes} minutes`);
    await this.inTenant(tenantId, (tx) => releaseReply(tx, tenantId, { callId, position, mayHaveArrived }));
    return 'pending';
  }

  /** Whether an earlier attempt arrived. Throws `DeliveryUnknown` where the agent's history does not say. */
  private async hasArrived(
    context: ConnectionContext,
    { callId, address, remote }: RemoteDelegation,
    position: number,
  ): Promise<boolean> {
    const task = await this.remoteTask
      .clientFor(context, address!)
      .get(remote!.taskId, historyLength)
      .catch((error: unknown) => {
        throw new HistoryUnavailable('the agent does not say how its task stands', { cause: error });
      });
    await this.remoteTask.recordResponse(context.connection.tenantId, callId, requireSameTask(task, remote!));
    if (task.status?.state !== TaskState.TASK_STATE_INPUT_REQUIRED) return true;
    const ids = userMessageIds(task);
    if (ids.has(messageIdOf(callId, position))) return true;
    // the message that began the task is there, so one that followed it would be, too
    if (ids.has(callId)) return false;
    throw new DeliveryUnknown('its answer to it was lost, so whether it arrived is not known');
  }

  private async send(
    context: ConnectionContext,
    { callId, address, remote }: RemoteDelegation,
    { body, position }: PendingReply,
  ): Promise<void> {
    const { parts } = JSON.parse(body) as { parts: Part[] };
    const messageId = messageIdOf(callId, position);
    const answer = await this.remoteTask.clientFor(context, address!).send({ messageId, parts, ...remote! });
    // a bare message says nothing of the task, but that it goes on
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
      await markReplyHandled(tx, tenantId, callId, { position, isDelivered: notice === null });
    });
    return notice === null ? 'delivered' : 'undelivered';
  }

  private inTenant<T>(tenantId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.database.tenant({ tenantId }, work);
  }
}

/** This attempt sent nothing: it could not be found out whether an earlier one arrived. */
class HistoryUnavailable extends Error {}
/** It will not be found out whether an earlier attempt arrived. */
class DeliveryUnknown extends Error {}

/** The same in each attempt, so that an agent can tell a repetition. */
const messageIdOf = (callId: string, position: number): string => `${callId}:${position}`;

const userMessageIds = ({ history }: Task): ReadonlySet<string> =>
  new Set(history.filter(({ role }) => role === Role.ROLE_USER).map(({ messageId }) => messageId));
