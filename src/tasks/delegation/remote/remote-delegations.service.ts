import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Behalf, ConnectionContext, ToolResult } from '../../../connections/connection-kinds.service.js';
import { Deferred, NotSent } from '../../../connections/connections.error.js';
import { ConnectionsService } from '../../../connections/connections.service.js';
import { GateService, type SettledCall } from '../../../gate/gate.service.js';
import { Database } from '../../../platform/database/database.service.js';
import { Log } from '../../../platform/telemetry/log.service.js';
import { quoted } from '../../../platform/text/quoted.js';
import { systemPrincipal } from '../../../principal/principal.js';
import { delegationLimits, whyOver } from '../limits.js';
import { pollSeconds } from '../polling.js';
import { failure } from '../standing.js';
import { addToTree } from '../tree.js';
import { TaskContent } from '../../task-content.service.js';
import { addRemote, findRemote, type RemoteDelegation } from './remote-delegations.sql.js';
import { type Handed, RemoteExchange } from './remote-exchange.service.js';
import { RemoteReplies } from './remote-replies.service.js';
import { RemoteStreams } from './remote-streams.service.js';
import { isEnded, remoteResult } from './remote-standing.js';

const { unreachableMinutes } = delegationLimits;
const cancelMs = 10_000;

/** Hands tasks on to agents elsewhere, over A2A, and looks what becomes of them. */
@Injectable()
export class RemoteDelegations implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionsService,
    private readonly gate: GateService,
    private readonly exchange: RemoteExchange,
    private readonly replies: RemoteReplies,
    private readonly streams: RemoteStreams,
    private readonly log: Log,
    private readonly content: TaskContent,
  ) {}

  onModuleInit(): void {
    this.gate.onSettled((call) => this.callEnded(call));
  }

  /** Hands the task on, once, or looks at it. Throws `Deferred` until it has ended. */
  async look(context: ConnectionContext, handed: Handed): Promise<ToolResult> {
    const { tenantId } = handed.behalf.principal;
    const known = (await this.find(tenantId, handed.callId)) ?? (await this.begin(context, handed));
    const end = whyOver(wanted(known, handed.behalf));
    // what is on its way is waited for: only then can it be canceled
    if (end && !hasEnded(known) && (known.remote || !known.sentAt))
      return failure(`"${nameOf(context, known)}" was stopped: ${end}.`);
    const row = hasEnded(known) ? known : await this.asItStands(context, handed, known);
    const agent = nameOf(context, row);
    const { standing } = row;
    if (standing && isEnded(standing))
      return { ...remoteResult(agent, standing), ...(row.isShown ? { isShown: true } : {}) };
    if (standing?.state === 'auth-required') {
      const why = `"${agent}" asks for credentials, which cannot be given here.`;
      const { message } = standing;
      return failure(message ? `${why} ${message}` : why, true, message ? `${why} It said: ${quoted(message)}.` : why);
    }
    if (isLost(row)) return failure(`"${agent}" has not said how the task stands for ${unreachableMinutes} minutes.`);
    if (!row.isParentOver && standing?.state !== 'input-required') this.streams.follow(tenantId, row);
    throw this.deferred(agent, handed, row);
  }

  private async asItStands(
    context: ConnectionContext,
    handed: Handed,
    row: RemoteDelegation,
  ): Promise<RemoteDelegation> {
    const { callId, behalf } = handed;
    const now = async () => (await this.find(behalf.principal.tenantId, callId))!;
    await (row.remote ? this.exchange.ask(context, row) : this.exchange.send(context, handed, row));
    const seen = await now();
    if (seen.standing?.state !== 'input-required') return seen;
    const reply = await this.replies.passOn(context, seen);
    const then = reply === 'none' ? seen : await now();
    // no question of the agent is open while the reply to it is on its way
    return reply === 'pending' && then.standing?.state === 'input-required'
      ? { ...then, standing: { state: 'working' } }
      : then;
  }

  private find(tenantId: string, callId: string): Promise<RemoteDelegation | null> {
    return this.database.tenant({ tenantId }, (tx) => findRemote(tx, tenantId, callId, this.content));
  }

  private async begin({ connection }: ConnectionContext, { callId, behalf }: Handed): Promise<RemoteDelegation> {
    const { principal, taskId: parentTaskId, isTainted } = behalf;
    const { tenantId } = principal;
    const above = principal.chain.filter(({ kind }) => kind === 'configuration').length;
    if (above >= delegationLimits.depth)
      throw new NotSent(`A task is handed on ${delegationLimits.depth} times at most.`);
    await this.database.tenant(principal, async (tx) => {
      await addToTree(tx, principal, { callId, parentTaskId, isTainted });
      await addRemote(tx, tenantId, { callId, connectionId: connection.id });
    });
    return (await this.find(tenantId, callId))!;
  }

  private deferred(agent: string, { behalf }: Handed, row: RemoteDelegation): Deferred {
    const { standing, toldAt, isParentOver, replyNotice } = row;
    const isWaitedFor = behalf.taskId !== null && !isParentOver;
    const after = pollSeconds(toldAt);
    if (standing?.state !== 'input-required') return new Deferred({ agent, state: 'working' }, after, isWaitedFor);
    const notice = replyNotice && `Your last message was not delivered to it: ${replyNotice}. Send it again.`;
    const message = [notice, standing.message].filter(Boolean).join(' ');
    const metadata = { reason: 'information', ...(notice ? { undelivered: true } : {}) };
    const asks = { agent, state: 'input-required' as const, metadata, ...(message ? { message } : {}) };
    return new Deferred(asks, after, isWaitedFor);
  }

  /** A call that ended without its task: that is not to go on elsewhere. A job, tried again where the agent did not hear it. */
  private async callEnded({ tenantId, callId, state }: SettledCall): Promise<void> {
    if (state !== 'failed' && state !== 'denied') return;
    const row = await this.find(tenantId, callId);
    if (!row || hasEnded(row)) return;
    if (!row.remote && this.exchange.isOnItsWay(row)) throw new Error('the task is on its way: it is canceled later');
    if (!row.remote) return;
    const principal = systemPrincipal(tenantId, 'tasks');
    const connection = await this.connections.find(principal, row.connectionId);
    if (!connection) return this.log.warn({ callId }, 'a task of an agent elsewhere goes on: its connection is gone');
    const { context } = await this.connections.open(principal, connection, AbortSignal.timeout(cancelMs));
    await this.exchange.cancel(context, row);
  }
}

const isLost = ({ silentSince }: RemoteDelegation): boolean =>
  silentSince !== null && Date.now() - silentSince.getTime() > unreachableMinutes * 60_000;

const hasEnded = ({ standing }: RemoteDelegation): boolean => standing !== null && isEnded(standing);

/** What a person has sent again is wanted, though its task be over by now. */
const wanted = (row: RemoteDelegation, { attempt }: Behalf): Pick<RemoteDelegation, 'isParentOver' | 'createdAt'> =>
  attempt === 1 ? row : { isParentOver: false, createdAt: (row.attempt === attempt && row.sentAt) || new Date() };

const nameOf = ({ connection }: ConnectionContext, { address }: RemoteDelegation): string =>
  address?.agent ?? connection.name;
