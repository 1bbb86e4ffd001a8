import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Message, Task } from '@a2a-js/sdk';
import type { EntityManager } from 'typeorm';
import type { Behalf, ConnectionContext, ToolResult } from '../../../connections/connection-kinds.service.js';
import { Deferred, NotSent, Uncertain } from '../../../connections/connections.error.js';
import { ConnectionsService } from '../../../connections/connections.service.js';
import { GateService, type SettledCall } from '../../../gate/gate.service.js';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.service.js';
import { Log } from '../../../platform/telemetry/log.service.js';
import { systemPrincipal } from '../../../principal/principal.js';
import type { Part } from '../../../agent/agent-model.service.js';
import { heard, unheard, type UnheardMessage } from '../delegations.sql.js';
import { delegationLimits, whyOver } from '../limits.js';
import { ParentTasks } from '../parent-tasks.service.js';
import { failure } from '../standing.js';
import { addToTree } from '../tree.js';
import { RemoteAgents, whyNot } from './remote-agents.service.js';
import * as sql from './remote-delegations.sql.js';
import { isEnded, remoteResult, type RemoteStanding, standingOfMessage, standingOfTask } from './remote-standing.js';
import { RefusedByAgent, RemoteWire } from './remote-wire.js';

interface Handed {
  /** Of the ledger: the same however often it is looked at. */
  callId: string;
  behalf: Behalf;
  skill: string;
  parts: Part[];
}

const cancelMs = 30_000;
/** It is asked how it stands after a quarter of the time for which nothing has changed, within these bounds. */
const pauses = { leastMs: 500, mostMs: 60_000 };
/** In which an answer that came back is written down. */
const graceMs = 15_000;

/** Hands tasks on to agents elsewhere, over A2A, and looks what becomes of them. */
@Injectable()
export class RemoteDelegations implements OnModuleInit {
  private readonly wakes = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly connections: ConnectionsService,
    private readonly gate: GateService,
    private readonly agents: RemoteAgents,
    private readonly parents: ParentTasks,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.gate.onSettled((call) => this.callEnded(call));
  }

  /** Hands the task on, once, or looks at it. Throws `Deferred` until it has ended. */
  async look(context: ConnectionContext, handed: Handed): Promise<ToolResult> {
    const { tenantId } = handed.behalf.principal;
    const known = (await this.find(tenantId, handed.callId)) ?? (await this.begin(context, handed));
    const end = whyOver(wanted(known, handed.behalf));
    if (end && !ended(known)) return failure(`"${nameOf(context, known)}" was stopped: ${end}.`);
    const row = await this.moved(context, handed, known);
    const agent = nameOf(context, row);
    const { standing } = row;
    if (standing && isEnded(standing)) return remoteResult(agent, standing);
    if (standing?.state === 'auth-required')
      return failure(
        `"${agent}" asks for credentials, which cannot be given here. ${standing.message ?? ''}`.trim(),
        true,
      );
    throw this.deferred(agent, handed, row);
  }

  /** As it stands now. */
  private async moved(
    context: ConnectionContext,
    handed: Handed,
    row: sql.RemoteDelegation,
  ): Promise<sql.RemoteDelegation> {
    const { tenantId } = handed.behalf.principal;
    if (ended(row)) return row;
    if (!row.remote) await this.send(context, handed, row);
    else await this.ask(context, handed, row);
    const now = (await this.find(tenantId, handed.callId))!;
    if (now.standing?.state !== 'input-required' || !(await this.passOn(context, handed, now))) return now;
    return (await this.find(tenantId, handed.callId))!;
  }

  private find(tenantId: string, callId: string): Promise<sql.RemoteDelegation | null> {
    return this.database.tenant({ tenantId }, (tx) => sql.findRemote(tx, tenantId, callId));
  }

  private async begin({ connection }: ConnectionContext, { callId, behalf }: Handed): Promise<sql.RemoteDelegation> {
    const { principal, taskId: parentTaskId } = behalf;
    const { tenantId } = principal;
    await this.database.tenant(principal, async (tx) => {
      await addToTree(tx, principal, { callId, parentTaskId });
      await sql.addRemote(tx, tenantId, { callId, connectionId: connection.id });
    });
    return (await this.find(tenantId, callId))!;
  }

  /** Once in each attempt. Of one that was sent, and from which nothing came back, nobody knows whether it arrived. */
  private async send(context: ConnectionContext, handed: Handed, row: sql.RemoteDelegation): Promise<void> {
    const { callId, behalf, parts, skill } = handed;
    const { tenantId } = behalf.principal;
    const address = row.attempt < behalf.attempt ? await this.addressOf(context) : null;
    const isMine =
      address !== null &&
      (await this.in(tenantId, (tx) => sql.claimSending(tx, tenantId, { callId, attempt: behalf.attempt, address })));
    if (!isMine) return this.isOnItsWay(row);
    try {
      await this.note(tenantId, callId, await this.wire(context, address).send({ messageId: callId, parts, skill }));
    } catch (error) {
      if (!(error instanceof RefusedByAgent)) throw error;
      await this.noteEnd(tenantId, callId, { state: 'rejected', message: error.message });
    }
  }

  /** What is sent has its answer a little before the call's time is up, or none. */
  private wire(context: ConnectionContext, address: sql.RemoteAddress): RemoteWire {
    return new RemoteWire(context, address, this.config.limits.callSeconds * 900);
  }

  private isOnItsWay({ sentAt }: sql.RemoteDelegation): void {
    const longestMs = this.config.limits.callSeconds * 1000 + graceMs;
    if (sentAt && Date.now() - sentAt.getTime() > longestMs)
      throw new Uncertain('The task was sent, and nothing came back: whether the agent has it is not known.');
  }

  private async addressOf(context: ConnectionContext): Promise<sql.RemoteAddress> {
    try {
      const { name, endpoint, door } = await this.agents.read(context);
      return { agent: name, endpoint, door };
    } catch (error) {
      throw new NotSent(whyNot(error), { cause: error });
    }
  }

  private async ask(context: ConnectionContext, handed: Handed, row: sql.RemoteDelegation): Promise<void> {
    const { tenantId } = handed.behalf.principal;
    const { callId, address, remote, reachedAt } = row;
    try {
      await this.note(tenantId, callId, await this.wire(context, address!).get(remote!.taskId));
    } catch (error) {
      if (error instanceof RefusedByAgent && error.isUnknownTask)
        return this.noteEnd(tenantId, callId, { state: 'failed', message: 'it does not know the task any more.' });
      const { unreachableMinutes } = delegationLimits;
      const isLost = Date.now() - reachedAt!.getTime() > unreachableMinutes * 60_000;
      this.log.warn({ err: error, callId }, 'an agent elsewhere does not say how its task stands');
      if (isLost) {
        const message = `it has not said how the task stands for ${unreachableMinutes} minutes. ${(error as Error).message}`;
        await this.noteEnd(tenantId, callId, { state: 'failed', message });
      }
    }
  }

  /** What the caller said to the task above, where the agent has asked for it. True: the agent has it, perhaps. */
  private async passOn(context: ConnectionContext, handed: Handed, row: sql.RemoteDelegation): Promise<boolean> {
    const { tenantId } = handed.behalf.principal;
    const { callId, answered: before, remote } = row;
    const message = await this.in(tenantId, (tx) => unheard(tx, tenantId, callId));
    if (!message) return false;
    const { position } = message;
    if (await this.in(tenantId, (tx) => sql.claimAnswer(tx, tenantId, callId, position))) {
      try {
        await this.sendOn(context, row, message, remote!);
      } catch (error) {
        if (error instanceof NotSent) {
          await this.in(tenantId, (tx) => sql.unclaimAnswer(tx, tenantId, callId, { position, before }));
          return false;
        }
        // it is asked again how it stands: what did not arrive is asked for again
        this.log.warn({ err: error, callId }, 'an answer may not have reached the agent that asked');
      }
    }
    await this.in(tenantId, (tx) => heard(tx, tenantId, callId, position));
    return true;
  }

  private async sendOn(
    context: ConnectionContext,
    { callId, address }: sql.RemoteDelegation,
    { body, position }: UnheardMessage,
    remote: { taskId: string; contextId: string },
  ): Promise<void> {
    const { parts } = JSON.parse(body) as { parts: Part[] };
    const answer = await this.wire(context, address!).send({ messageId: `${callId}:${position}`, parts, ...remote });
    await this.note(context.connection.tenantId, callId, answer);
  }

  private async note(tenantId: string, callId: string, said: Task | Message): Promise<void> {
    const isMessage = 'messageId' in said;
    const standing = isMessage ? standingOfMessage(said) : standingOfTask(said);
    const remote = isMessage || !said.id ? undefined : { taskId: said.id, contextId: said.contextId };
    if (!remote && !isEnded(standing))
      return this.noteEnd(tenantId, callId, { state: 'failed', message: 'it took the task and gave it no name.' });
    await this.in(tenantId, (tx) => sql.noteStanding(tx, tenantId, callId, { standing, remote }));
  }

  private noteEnd(tenantId: string, callId: string, standing: RemoteStanding): Promise<void> {
    return this.in(tenantId, (tx) => sql.noteStanding(tx, tenantId, callId, { standing }));
  }

  private in<T>(tenantId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.database.tenant({ tenantId }, work);
  }

  private deferred(agent: string, { behalf }: Handed, row: sql.RemoteDelegation): Deferred {
    const { taskId, standing, standsSince, isParentOver } = row;
    const quarter = (Date.now() - standsSince.getTime()) / 4;
    const pauseMs = Math.min(Math.max(quarter, pauses.leastMs), pauses.mostMs);
    const isWaitedFor = behalf.taskId !== null && !isParentOver;
    if (isWaitedFor) this.wakeAfter(behalf.principal.tenantId, taskId, pauseMs);
    const againSeconds = isWaitedFor ? undefined : Math.ceil(pauseMs / 1000);
    if (standing?.state !== 'input-required') return new Deferred({ agent, state: 'working' }, againSeconds);
    const { message } = standing;
    const metadata = { reason: 'information' };
    return new Deferred({ agent, state: 'input-required', metadata, ...(message ? { message } : {}) }, againSeconds);
  }

  /** Only for being on time: should this process end before, the task that waits looks again by itself. */
  private wakeAfter(tenantId: string, taskId: string, ms: number): void {
    clearTimeout(this.wakes.get(taskId));
    const wake = () => {
      this.wakes.delete(taskId);
      this.parents.wake(tenantId, taskId);
    };
    this.wakes.set(taskId, setTimeout(wake, ms).unref());
  }

  /** A call that ended without its task: that is not to go on elsewhere. Tried again until the agent has heard it. */
  private async callEnded({ tenantId, callId, state }: SettledCall): Promise<void> {
    if (state !== 'failed' && state !== 'denied') return;
    const row = await this.find(tenantId, callId);
    if (!row?.remote || ended(row)) return;
    const principal = systemPrincipal(tenantId, 'tasks');
    const connection = await this.connections.find(principal, row.connectionId);
    if (!connection) return this.log.warn({ callId }, 'a task of an agent elsewhere goes on: its connection is gone');
    const { context } = await this.connections.open(principal, connection, AbortSignal.timeout(cancelMs));
    try {
      await this.wire(context, row.address!).cancel(row.remote.taskId);
    } catch (error) {
      if (!(error instanceof RefusedByAgent)) throw error;
      this.log.info({ err: error, callId }, 'an agent elsewhere did not cancel its task');
    }
    await this.noteEnd(tenantId, callId, { state: 'canceled' });
  }
}

const ended = ({ standing }: sql.RemoteDelegation): boolean => standing !== null && isEnded(standing);

/** What a person has sent again is wanted, though its task be over by now. */
const wanted = (
  row: sql.RemoteDelegation,
  { attempt }: Behalf,
): Pick<sql.RemoteDelegation, 'isParentOver' | 'createdAt'> =>
  attempt === 1 ? row : { isParentOver: false, createdAt: (row.attempt === attempt && row.sentAt) || new Date() };

const nameOf = ({ connection }: ConnectionContext, { address }: sql.RemoteDelegation): string =>
  address?.agent ?? connection.name;
