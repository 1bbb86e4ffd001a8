import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { CallOrigin, ConnectionContext, ToolResult } from '../../../connections/connector-registry.service.js';
import { Deferred, NotSent } from '../../../connections/connections.error.js';
import { ConnectionsService } from '../../../connections/connections.service.js';
import { GateService, type SettledCall } from '../../../gate/gate.service.js';
import { DatabaseService } from '../../../platform/database/database.service.js';
import { LogService } from '../../../platform/telemetry/log.service.js';
import { quoteExternalText } from '../../../platform/text/quote-external-text.js';
import { systemPrincipal } from '../../../principal/principal.js';
import { delegationLimits, findStopReason } from '../limits.js';
import { pollSeconds } from '../polling.js';
import { failedResult } from '../delegation-result.js';
import { addToTree } from '../tree.js';
import { TaskContentService } from '../../task-content.service.js';
import { addRemote, findRemote, type RemoteDelegation } from './remote-delegations.sql.js';
import { type RemoteDelegationRequest, RemoteTaskService } from './remote-task.service.js';
import { RemoteRepliesService } from './remote-replies.service.js';
import { RemoteStreamsService } from './remote-streams.service.js';
import { isEnded, remoteResult } from './remote-task-status.js';

const { unreachableMinutes } = delegationLimits;
const cancelMs = 10_000;

/** Delegates tasks to remote agents over A2A, and polls them. */
@Injectable()
export class RemoteDelegationsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly connections: ConnectionsService,
    private readonly gate: GateService,
    private readonly remoteTask: RemoteTaskService,
    private readonly replies: RemoteRepliesService,
    private readonly streams: RemoteStreamsService,
    private readonly log: LogService,
    private readonly content: TaskContentService,
  ) {}

  onModuleInit(): void {
    this.gate.onSettled((call) => this.onCallEnded(call));
  }

  /** Delegates the task once, then polls it. Throws `Deferred` until it has ended. */
  async delegateOrPoll(context: ConnectionContext, request: RemoteDelegationRequest): Promise<ToolResult> {
    const { tenantId } = request.behalf.principal;
    const known = (await this.find(tenantId, request.callId)) ?? (await this.begin(context, request));
    const end = findStopReason(lifetimeOf(known, request.behalf));
    // a message in flight has to arrive first: only then can its task be canceled
    if (end && !hasEnded(known) && (known.remote || !known.sentAt))
      return failedResult(`"${agentNameOf(context, known)}" was stopped: ${end}.`);
    const row = hasEnded(known) ? known : await this.refresh(context, request, known);
    const agent = agentNameOf(context, row);
    const { status } = row;
    if (status && isEnded(status)) return { ...remoteResult(agent, status), ...(row.isShown ? { isShown: true } : {}) };
    if (status?.state === 'auth-required') {
      const why = `"${agent}" asks for credentials, which is not supported for delegated tasks.`;
      const { message } = status;
      return failedResult(
        message ? `${why} ${message}` : why,
        true,
        message ? `${why} It said: ${quoteExternalText(message)}.` : why,
      );
    }
    if (isLost(row))
      return failedResult(`"${agent}" has not reported the status of the task for ${unreachableMinutes} minutes.`);
    const { isResultHeld } = request.behalf;
    if (!isResultHeld && !row.isParentOver && status?.state !== 'input-required') this.streams.follow(tenantId, row);
    throw this.toDeferred(agent, request, row);
  }

  private async refresh(
    context: ConnectionContext,
    request: RemoteDelegationRequest,
    row: RemoteDelegation,
  ): Promise<RemoteDelegation> {
    const { callId, behalf } = request;
    const reload = async () => (await this.find(behalf.principal.tenantId, callId))!;
    await (row.remote ? this.remoteTask.poll(context, row) : this.remoteTask.send(context, request, row));
    const polled = await reload();
    if (polled.status?.state !== 'input-required') return polled;
    const reply = await this.replies.forward(context, polled);
    const latest = reply === 'none' ? polled : await reload();
    // while a reply is in flight, the agent's question is not open
    return reply === 'pending' && latest.status?.state === 'input-required'
      ? { ...latest, status: { state: 'working' } }
      : latest;
  }

  private find(tenantId: string, callId: string): Promise<RemoteDelegation | null> {
    return this.database.tenant({ tenantId }, (tx) => findRemote(tx, tenantId, callId, this.content));
  }

  private async begin(
    { connection }: ConnectionContext,
    { callId, behalf }: RemoteDelegationRequest,
  ): Promise<RemoteDelegation> {
    const { principal, taskId: parentTaskId, isTainted } = behalf;
    const { tenantId } = principal;
    const above = principal.chain.filter(({ kind }) => kind === 'configuration').length;
    if (above >= delegationLimits.depth)
      throw new NotSent(`A task can be delegated at most ${delegationLimits.depth} levels deep.`);
    await this.database.tenant(principal, async (tx) => {
      await addToTree(tx, principal, { callId, parentTaskId, isTainted });
      await tx.execute(addRemote, [tenantId, callId, connection.id]);
    });
    return (await this.find(tenantId, callId))!;
  }

  private toDeferred(agent: string, { behalf }: RemoteDelegationRequest, row: RemoteDelegation): Deferred {
    const { status, lastSentAt, isParentOver, replyNotice } = row;
    const isWaitedFor = behalf.taskId !== null && !isParentOver;
    const after = pollSeconds(lastSentAt);
    if (status?.state !== 'input-required') return new Deferred({ agent, state: 'working' }, after, isWaitedFor);
    const notice = replyNotice && `Your last message was not delivered: ${replyNotice}. Send it again.`;
    const message = [notice, status.message].filter(Boolean).join(' ');
    const metadata = { reason: 'information', ...(notice ? { undelivered: true } : {}) };
    const asks = { agent, state: 'input-required' as const, metadata, ...(message ? { message } : {}) };
    return new Deferred(asks, after, isWaitedFor);
  }

  /**
   * Cancels the remote task of a call that failed or was denied. Runs as a job, which is retried until the agent has
   * received the cancellation.
   */
  private async onCallEnded({ tenantId, callId, state }: SettledCall): Promise<void> {
    if (state !== 'failed' && state !== 'denied') return;
    const row = await this.find(tenantId, callId);
    if (!row || hasEnded(row)) return;
    if (!row.remote && this.remoteTask.isInFlight(row))
      throw new Error('the task is in flight; the next attempt cancels it');
    if (!row.remote) return;
    const principal = systemPrincipal(tenantId, 'tasks');
    const connection = await this.connections.find(principal, row.connectionId);
    if (!connection) return this.log.warn({ callId }, 'remote task not canceled: its connection no longer exists');
    const { context } = await this.connections.open(principal, connection, AbortSignal.timeout(cancelMs));
    await this.remoteTask.cancel(context, row);
  }
}

const isLost = ({ silentSince }: RemoteDelegation): boolean =>
  silentSince !== null && Date.now() - silentSince.getTime() > unreachableMinutes * 60_000;

const hasEnded = ({ status }: RemoteDelegation): boolean => status !== null && isEnded(status);

/** A call that a person ran again is needed even if its parent task has ended. */
const lifetimeOf = (
  row: RemoteDelegation,
  { attempt }: CallOrigin,
): Pick<RemoteDelegation, 'isParentOver' | 'createdAt'> =>
  attempt === 1 ? row : { isParentOver: false, createdAt: (row.attempt === attempt && row.sentAt) || new Date() };

const agentNameOf = ({ connection }: ConnectionContext, { address }: RemoteDelegation): string =>
  address?.agent ?? connection.name;
