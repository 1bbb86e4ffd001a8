import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { Message, Task } from '@a2a-js/sdk';
import type { EntityManager } from 'typeorm';
import type { CallOrigin, ConnectionContext } from '../../../connections/connector-registry.service.js';
import { NotSent, OutcomeUnknown } from '../../../connections/connections.error.js';
import { Config } from '../../../platform/config/config.js';
import { DatabaseService } from '../../../platform/database/database.service.js';
import { OutboundHttpError } from '../../../platform/http/outbound-http.error.js';
import type { JsonObject } from '../../../platform/json/strict-json.js';
import { LogService } from '../../../platform/telemetry/log.service.js';
import type { Part } from '../../../agent/agent-model.port.js';
import { TaskContentService } from '../../task-content.service.js';
import { AgentCardClient } from './agent-card-client.service.js';
import { isStorable, originsOf, confirmedServerOf } from './remote-card.js';
import * as sql from './remote-delegations.sql.js';
import { RemoteArtifactPublisher } from './remote-artifact-publisher.service.js';
import { isEnded, type RemoteTaskStatus, completedByMessage, toRemoteStatus } from './remote-task-status.js';
import { RefusedByAgent, RemoteAgentClient } from './remote-agent-client.js';

export interface RemoteDelegationRequest {
  /** Of the ledger: the same however often it is looked at. */
  callId: string;
  behalf: CallOrigin;
  skill: string;
  parts: Part[];
  /** Who the agent was when an administrator confirmed it. */
  server?: JsonObject | null;
}

/** In which an answer that came back is written down. */
const recordGraceMs = 15_000;

/** What is said to an agent elsewhere about one task, and what it answers, written down. Each thing is said once. */
@Injectable()
export class RemoteTaskService {
  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly agents: AgentCardClient,
    private readonly artifactPublisher: RemoteArtifactPublisher,
    private readonly log: LogService,
    private readonly content: TaskContentService,
  ) {}

  /** Once in each attempt. Of one that was sent, and from which nothing came back, nobody knows whether it arrived. */
  async send(context: ConnectionContext, request: RemoteDelegationRequest, row: sql.RemoteDelegation): Promise<void> {
    const { callId, behalf, parts, skill } = request;
    const { tenantId } = behalf.principal;
    const address = row.attempt < behalf.attempt ? await this.resolveAddress(context, request) : null;
    const isMine =
      address !== null &&
      (await this.inTenant(tenantId, (tx) =>
        sql.claimSend(tx, tenantId, { callId, attempt: behalf.attempt, address }),
      ));
    if (!isMine) return this.assertNotLost(row);
    try {
      await this.recordResponse(
        tenantId,
        callId,
        await this.clientFor(context, address).send({ messageId: callId, parts, skill }),
      );
    } catch (error) {
      if (!(error instanceof RefusedByAgent)) throw error;
      await this.recordStatus(tenantId, callId, { state: 'rejected', notice: error.message });
    }
  }

  /** It was sent, and its answer may still come. */
  isInFlight({ sentAt }: sql.RemoteDelegation): boolean {
    return sentAt !== null && Date.now() - sentAt.getTime() <= this.maxRequestMs;
  }

  /** How the task stands. */
  async poll(context: ConnectionContext, row: sql.RemoteDelegation): Promise<void> {
    const { tenantId } = context.connection;
    const { callId, address, remote } = row;
    try {
      const task = requireSameTask(await this.clientFor(context, address!).get(remote!.taskId), remote!);
      if (row.isShown && isEnded(toRemoteStatus(task)))
        await this.artifactPublisher.publishFinal(tenantId, row, task.artifacts);
      await this.recordResponse(tenantId, callId, task);
    } catch (error) {
      if (error instanceof RefusedByAgent && error.reason === 'unknown task')
        return this.recordStatus(tenantId, callId, { state: 'failed', notice: 'it does not know the task any more.' });
      this.log.warn({ err: error, callId }, 'an agent elsewhere does not say how its task stands');
      await this.inTenant(tenantId, (tx) => sql.recordNoResponse(tx, tenantId, callId));
    }
  }

  /** Throws where the agent may not have heard it. */
  async cancel(context: ConnectionContext, row: sql.RemoteDelegation): Promise<void> {
    const { callId, address, remote } = row;
    if (!connectionCovers(context, address!))
      return this.log.warn({ callId }, 'a task of an agent elsewhere goes on: its connection leads elsewhere now');
    try {
      await this.clientFor(context, address!).cancel(remote!.taskId);
    } catch (error) {
      if (!(error instanceof RefusedByAgent) || error.reason === 'not now') throw error;
      this.log.info({ err: error, callId }, 'an agent elsewhere did not cancel its task');
    }
    await this.recordStatus(context.connection.tenantId, callId, { state: 'canceled' });
  }

  /** In which a request that was sent is over, and what came of it stored. */
  get maxRequestMs(): number {
    return this.config.limits.callSeconds * 1000 + recordGraceMs;
  }

  private assertNotLost(row: sql.RemoteDelegation): void {
    if (row.sentAt && !this.isInFlight(row))
      throw new OutcomeUnknown('The task was sent, and nothing came back: whether the agent has it is not known.');
  }

  /** Of the agent that was confirmed. */
  private async resolveAddress(
    context: ConnectionContext,
    { server }: RemoteDelegationRequest,
  ): Promise<sql.RemoteAddress> {
    const agent = await this.agents.fetchAgent(context).catch((error: unknown) => {
      this.log.info({ err: error, connectionId: context.connection.id }, 'a card could not be read');
      const why = error instanceof OutboundHttpError ? error.message : 'check its connection, which says why';
      throw new NotSent(`The card of the agent cannot be used: ${why}.`);
    });
    if (!isDeepStrictEqual(confirmedServerOf(agent), server))
      throw new NotSent('The card of the agent changed; an administrator has to confirm it.');
    const { name, endpoint, credentialHeader, isStreaming } = agent;
    return { agent: name, endpoint, door: credentialHeader, isStreaming };
  }

  /** What is sent has its answer a little before the call's time is up, or none. */
  clientFor(context: ConnectionContext, address: sql.RemoteAddress): RemoteAgentClient {
    if (!connectionCovers(context, address)) throw new NotSent('The connection leads elsewhere now.');
    return new RemoteAgentClient(context, address, this.config.limits.callSeconds * 900);
  }

  /** Stores what the agent said about the task. */
  async recordResponse(tenantId: string, callId: string, response: Task | Message): Promise<void> {
    if (isMessage(response)) return this.recordStatus(tenantId, callId, completedByMessage(response));
    const { id: taskId, contextId } = response;
    if (!taskId || !isStorable(taskId) || !isStorable(contextId))
      return this.recordStatus(tenantId, callId, {
        state: 'failed',
        notice: 'it gave the task no name that can be used.',
      });
    const update = { standing: toRemoteStatus(response), remote: { taskId, contextId } };
    await this.inTenant(tenantId, (tx) => sql.recordRemoteStatus(tx, tenantId, callId, update, this.content));
  }

  recordWorking(tenantId: string, callId: string): Promise<void> {
    return this.recordStatus(tenantId, callId, { state: 'working' });
  }

  private recordStatus(tenantId: string, callId: string, standing: RemoteTaskStatus): Promise<void> {
    return this.inTenant(tenantId, (tx) => sql.recordRemoteStatus(tx, tenantId, callId, { standing }, this.content));
  }

  private inTenant<T>(tenantId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.database.tenant({ tenantId }, work);
  }
}

export const isMessage = (response: Task | Message): response is Message => 'messageId' in response;

export function requireSameTask(task: Task, { taskId }: { taskId: string }): Task {
  if (task.id !== taskId) throw new Error('the agent answered about another task');
  return task;
}

const connectionCovers = ({ settings }: ConnectionContext, { endpoint }: sql.RemoteAddress): boolean =>
  originsOf(settings).includes(new URL(endpoint.url).origin);
