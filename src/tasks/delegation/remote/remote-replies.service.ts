import { Injectable } from '@nestjs/common';
import { Role, type Task, TaskState } from '@a2a-js/sdk';
import type { EntityManager } from 'typeorm';
import type { Part } from '../../../agent/agent-model.service.js';
import type { ConnectionContext } from '../../../connections/connection-kinds.service.js';
import { NotSent } from '../../../connections/connections.error.js';
import { Database } from '../../../platform/database/database.service.js';
import { Log } from '../../../platform/telemetry/log.service.js';
import { TaskContent } from '../../task-content.service.js';
import { heard, unheard, type UnheardMessage } from '../delegations.sql.js';
import { delegationLimits } from '../limits.js';
import {
  claimReply,
  type ClaimedReply,
  endReply,
  releaseReply,
  type RemoteDelegation,
} from './remote-delegations.sql.js';
import { isMessage, RemoteExchange, sameTask } from './remote-exchange.service.js';
import { RefusedByAgent } from './remote-wire.js';

/** `pending`: it is being sent, or is sent again at the next poll. `undelivered`: the row says why. */
export type ReplyState = 'none' | 'delivered' | 'pending' | 'undelivered';

const mostAttempts = 5;
/** How many messages are read to find out whether one arrived. */
const historyLength = 100;
const { unreachableMinutes } = delegationLimits;

/**
 * Replies of the caller to what an agent elsewhere asks. Each is delivered once, or reported as not delivered: where an attempt
 * had no clear outcome, the history of the agent's task says whether it arrived, and the same message is sent again only if not.
 */
@Injectable()
export class RemoteReplies {
  constructor(
    private readonly database: Database,
    private readonly exchange: RemoteExchange,
    private readonly content: TaskContent,
    private readonly log: Log,
  ) {}

  async passOn(context: ConnectionContext, row: RemoteDelegation): Promise<ReplyState> {
    const { tenantId } = context.connection;
    const { callId } = row;
    const message = await this.in(tenantId, (tx) => unheard(tx, tenantId, callId, this.content));
    if (!message) return row.replyNotice === null ? 'none' : 'undelivered';
    const { position } = message;
    const seconds = this.exchange.longestMs / 1000;
    const claimed = await this.in(tenantId, (tx) => claimReply(tx, tenantId, { callId, position, seconds }));
    if (!claimed) return 'pending';
    try {
      const isThere = claimed.attempts > 1 && (await this.isThere(context, row, position));
      if (!isThere && claimed.attempts > mostAttempts)
        return await this.end(tenantId, row, position, `it did not accept it in ${mostAttempts} attempts`);
      if (!isThere) await this.send(context, row, message);
      return await this.end(tenantId, row, position, null);
    } catch (error) {
      this.log.warn({ err: error, callId }, 'a reply may not have reached the agent that asked');
      return this.failed(tenantId, row, { position, claimed, error });
    }
  }

  private async failed(
    tenantId: string,
    row: RemoteDelegation,
    { position, claimed, error }: { position: number; claimed: ClaimedReply; error: unknown },
  ): Promise<ReplyState> {
    const { callId } = row;
    if (error instanceof Unprovable) return this.end(tenantId, row, position, error.message);
    if (error instanceof RefusedByAgent && error.why !== 'not now')
      return this.end(tenantId, row, position, `it refused it (${error.message})`);
    const mayHaveArrived = !(
      error instanceof NotSent ||
      error instanceof RefusedByAgent ||
      error instanceof NotLookedUp
    );
    if (!mayHaveArrived && Date.now() - claimed.since.getTime() > unreachableMinutes * 60_000)
      return this.end(tenantId, row, position, `it could not be reached for ${unreachableMinutes} minutes`);
    await this.in(tenantId, (tx) => releaseReply(tx, tenantId, { callId, position, mayHaveArrived }));
    return 'pending';
  }

  /** Whether an earlier attempt arrived. Throws `Unprovable` where the agent's history does not say. */
  private async isThere(
    context: ConnectionContext,
    { callId, address, remote }: RemoteDelegation,
    position: number,
  ): Promise<boolean> {
    const task = await this.exchange
      .wire(context, address!)
      .get(remote!.taskId, historyLength)
      .catch((error: unknown) => {
        throw new NotLookedUp('the agent does not say how its task stands', { cause: error });
      });
    await this.exchange.note(context.connection.tenantId, callId, sameTask(task, remote!));
    if (task.status?.state !== TaskState.TASK_STATE_INPUT_REQUIRED) return true;
    const ids = idsOf(task);
    if (ids.has(messageIdOf(callId, position))) return true;
    // the message that began the task is there, so one that followed it would be, too
    if (ids.has(callId)) return false;
    throw new Unprovable('its answer to it was lost, so whether it arrived is not known');
  }

  private async send(
    context: ConnectionContext,
    { callId, address, remote }: RemoteDelegation,
    { body, position }: UnheardMessage,
  ): Promise<void> {
    const { parts } = JSON.parse(body) as { parts: Part[] };
    const messageId = messageIdOf(callId, position);
    const answer = await this.exchange.wire(context, address!).send({ messageId, parts, ...remote! });
    // a bare message says nothing of the task, but that it goes on
    if (isMessage(answer)) return this.exchange.noteWorking(context.connection.tenantId, callId);
    await this.exchange.note(context.connection.tenantId, callId, sameTask(answer, remote!));
  }

  private async end(
    tenantId: string,
    { callId }: RemoteDelegation,
    position: number,
    notice: string | null,
  ): Promise<ReplyState> {
    await this.in(tenantId, async (tx) => {
      await endReply(tx, tenantId, { callId, position, notice }, this.content);
      await heard(tx, tenantId, callId, { position, isDelivered: notice === null });
    });
    return notice === null ? 'delivered' : 'undelivered';
  }

  private in<T>(tenantId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.database.tenant({ tenantId }, work);
  }
}

/** This attempt sent nothing: it could not be found out whether an earlier one arrived. */
class NotLookedUp extends Error {}
/** It will not be found out whether an earlier attempt arrived. */
class Unprovable extends Error {}

/** The same in each attempt, so that an agent can tell a repetition. */
const messageIdOf = (callId: string, position: number): string => `${callId}:${position}`;

const idsOf = ({ history }: Task): ReadonlySet<string> =>
  new Set(history.filter(({ role }) => role === Role.ROLE_USER).map(({ messageId }) => messageId));
