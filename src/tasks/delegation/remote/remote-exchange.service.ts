import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { Message, Task } from '@a2a-js/sdk';
import type { EntityManager } from 'typeorm';
import type { Behalf, ConnectionContext } from '../../../connections/connection-kinds.service.js';
import { NotSent, Uncertain } from '../../../connections/connections.error.js';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.service.js';
import { OutgoingError } from '../../../platform/http/outgoing.error.js';
import type { JsonObject } from '../../../platform/json/strict-json.js';
import { Log } from '../../../platform/telemetry/log.service.js';
import type { Part } from '../../../agent/agent-model.service.js';
import { TaskContent } from '../../task-content.service.js';
import { RemoteAgents } from './remote-agents.service.js';
import { isStorable, originsOf, serverOf } from './remote-card.js';
import * as sql from './remote-delegations.sql.js';
import { ShownArtifacts } from './shown-artifacts.service.js';
import { isEnded, type RemoteStanding, standingOfMessage, standingOfTask } from './remote-standing.js';
import { RefusedByAgent, RemoteWire } from './remote-wire.js';

export interface Handed {
  /** Of the ledger: the same however often it is looked at. */
  callId: string;
  behalf: Behalf;
  skill: string;
  parts: Part[];
  /** Who the agent was when an administrator confirmed it. */
  server?: JsonObject | null;
}

/** In which an answer that came back is written down. */
const graceMs = 15_000;

/** What is said to an agent elsewhere about one task, and what it answers, written down. Each thing is said once. */
@Injectable()
export class RemoteExchange {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly agents: RemoteAgents,
    private readonly shown: ShownArtifacts,
    private readonly log: Log,
    private readonly content: TaskContent,
  ) {}

  /** Once in each attempt. Of one that was sent, and from which nothing came back, nobody knows whether it arrived. */
  async send(context: ConnectionContext, handed: Handed, row: sql.RemoteDelegation): Promise<void> {
    const { callId, behalf, parts, skill } = handed;
    const { tenantId } = behalf.principal;
    const address = row.attempt < behalf.attempt ? await this.addressOf(context, handed) : null;
    const isMine =
      address !== null &&
      (await this.in(tenantId, (tx) => sql.claimSending(tx, tenantId, { callId, attempt: behalf.attempt, address })));
    if (!isMine) return this.refuseLost(row);
    try {
      await this.note(tenantId, callId, await this.wire(context, address).send({ messageId: callId, parts, skill }));
    } catch (error) {
      if (!(error instanceof RefusedByAgent)) throw error;
      await this.noteEnd(tenantId, callId, { state: 'rejected', notice: error.message });
    }
  }

  /** It was sent, and its answer may still come. */
  isOnItsWay({ sentAt }: sql.RemoteDelegation): boolean {
    return sentAt !== null && Date.now() - sentAt.getTime() <= this.longestMs;
  }

  /** How the task stands. */
  async ask(context: ConnectionContext, row: sql.RemoteDelegation): Promise<void> {
    const { tenantId } = context.connection;
    const { callId, address, remote } = row;
    try {
      const task = sameTask(await this.wire(context, address!).get(remote!.taskId), remote!);
      if (row.isShown && isEnded(standingOfTask(task))) await this.shown.complete(tenantId, row, task.artifacts);
      await this.note(tenantId, callId, task);
    } catch (error) {
      if (error instanceof RefusedByAgent && error.why === 'unknown task')
        return this.noteEnd(tenantId, callId, { state: 'failed', notice: 'it does not know the task any more.' });
      this.log.warn({ err: error, callId }, 'an agent elsewhere does not say how its task stands');
      await this.in(tenantId, (tx) => sql.noteSilence(tx, tenantId, callId));
    }
  }

  /** Throws where the agent may not have heard it. */
  async cancel(context: ConnectionContext, row: sql.RemoteDelegation): Promise<void> {
    const { callId, address, remote } = row;
    if (!leadsTo(context, address!))
      return this.log.warn({ callId }, 'a task of an agent elsewhere goes on: its connection leads elsewhere now');
    try {
      await this.wire(context, address!).cancel(remote!.taskId);
    } catch (error) {
      if (!(error instanceof RefusedByAgent) || error.why === 'not now') throw error;
      this.log.info({ err: error, callId }, 'an agent elsewhere did not cancel its task');
    }
    await this.noteEnd(context.connection.tenantId, callId, { state: 'canceled' });
  }

  /** In which a request that was sent is over, and what came of it stored. */
  get longestMs(): number {
    return this.config.limits.callSeconds * 1000 + graceMs;
  }

  private refuseLost(row: sql.RemoteDelegation): void {
    if (row.sentAt && !this.isOnItsWay(row))
      throw new Uncertain('The task was sent, and nothing came back: whether the agent has it is not known.');
  }

  /** Of the agent that was confirmed. */
  private async addressOf(context: ConnectionContext, { server }: Handed): Promise<sql.RemoteAddress> {
    const agent = await this.agents.read(context).catch((error: unknown) => {
      this.log.info({ err: error, connectionId: context.connection.id }, 'a card could not be read');
      const why = error instanceof OutgoingError ? error.message : 'check its connection, which says why';
      throw new NotSent(`The card of the agent cannot be used: ${why}.`);
    });
    if (!isDeepStrictEqual(serverOf(agent), server))
      throw new NotSent('The card of the agent changed; an administrator has to confirm it.');
    const { name, endpoint, door, isStreaming } = agent;
    return { agent: name, endpoint, door, isStreaming };
  }

  /** What is sent has its answer a little before the call's time is up, or none. */
  wire(context: ConnectionContext, address: sql.RemoteAddress): RemoteWire {
    if (!leadsTo(context, address)) throw new NotSent('The connection leads elsewhere now.');
    return new RemoteWire(context, address, this.config.limits.callSeconds * 900);
  }

  /** Stores what the agent said about the task. */
  async note(tenantId: string, callId: string, said: Task | Message): Promise<void> {
    if (isMessage(said)) return this.noteEnd(tenantId, callId, standingOfMessage(said));
    const { id: taskId, contextId } = said;
    if (!taskId || !isStorable(taskId) || !isStorable(contextId))
      return this.noteEnd(tenantId, callId, { state: 'failed', notice: 'it gave the task no name that can be used.' });
    const noted = { standing: standingOfTask(said), remote: { taskId, contextId } };
    await this.in(tenantId, (tx) => sql.noteStanding(tx, tenantId, callId, noted, this.content));
  }

  noteWorking(tenantId: string, callId: string): Promise<void> {
    return this.noteEnd(tenantId, callId, { state: 'working' });
  }

  private noteEnd(tenantId: string, callId: string, standing: RemoteStanding): Promise<void> {
    return this.in(tenantId, (tx) => sql.noteStanding(tx, tenantId, callId, { standing }, this.content));
  }

  private in<T>(tenantId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.database.tenant({ tenantId }, work);
  }
}

export const isMessage = (said: Task | Message): said is Message => 'messageId' in said;

export function sameTask(task: Task, { taskId }: { taskId: string }): Task {
  if (task.id !== taskId) throw new Error('the agent answered about another task');
  return task;
}

const leadsTo = ({ settings }: ConnectionContext, { endpoint }: sql.RemoteAddress): boolean =>
  originsOf(settings).includes(new URL(endpoint.url).origin);
