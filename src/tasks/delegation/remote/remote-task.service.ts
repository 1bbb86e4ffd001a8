import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { Message, Task } from '@a2a-js/sdk';
import type { CallOrigin, ConnectionContext } from '../../../connections/connector-registry.service.js';
import { NotSent, OutcomeUnknown } from '../../../connections/connections.error.js';
import { Config } from '../../../platform/config/config.js';
import { DatabaseService } from '../../../platform/database/database.service.js';
import type { Tx } from '../../../platform/database/tx.js';
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
  /** The id in the ledger; the same for each poll. */
  callId: string;
  behalf: CallOrigin;
  skill: string;
  parts: Part[];
  /** The agent's identity when an administrator confirmed the tool. */
  server?: JsonObject | null;
}

/** Time to store a response after the request's own timeout. */
const recordGraceMs = 15_000;

/**
 * Sends a task to a remote agent, polls it and cancels it, and records the responses. A task is sent once per attempt.
 */
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

  /** Sends the task once per attempt. Without a response, it is unknown whether the task arrived. */
  async send(context: ConnectionContext, request: RemoteDelegationRequest, row: sql.RemoteDelegation): Promise<void> {
    const { callId, behalf, parts, skill } = request;
    const { tenantId } = behalf.principal;
    const address = row.attempt < behalf.attempt ? await this.resolveAddress(context, request) : null;
    const isMine =
      address !== null &&
      (await this.inTenant(tenantId, (tx) =>
        tx.execute(sql.claimSend, [tenantId, callId, behalf.attempt, address]),
      )) === 1;
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

  /** True: the task was sent, and the response may still arrive. */
  isInFlight({ sentAt }: sql.RemoteDelegation): boolean {
    return sentAt !== null && Date.now() - sentAt.getTime() <= this.maxRequestMs;
  }

  /** Fetches and records the status of the task. */
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
        return this.recordStatus(tenantId, callId, { state: 'failed', notice: 'it no longer has this task.' });
      this.log.warn({ err: error, callId }, 'remote agent did not report the status of its task');
      await this.inTenant(tenantId, (tx) => tx.execute(sql.recordNoResponse, [tenantId, callId]));
    }
  }

  /** Throws if the agent may not have received the cancellation. */
  async cancel(context: ConnectionContext, row: sql.RemoteDelegation): Promise<void> {
    const { callId, address, remote } = row;
    if (!connectionCovers(context, address!))
      return this.log.warn({ callId }, 'remote task not canceled: its connection points to another host now');
    try {
      await this.clientFor(context, address!).cancel(remote!.taskId);
    } catch (error) {
      if (!(error instanceof RefusedByAgent) || error.reason === 'not now') throw error;
      this.log.info({ err: error, callId }, 'remote agent refused to cancel its task');
    }
    await this.recordStatus(context.connection.tenantId, callId, { state: 'canceled' });
  }

  /** After this time a sent request has ended and its outcome is stored. */
  get maxRequestMs(): number {
    return this.config.limits.callSeconds * 1000 + recordGraceMs;
  }

  private assertNotLost(row: sql.RemoteDelegation): void {
    if (row.sentAt && !this.isInFlight(row))
      throw new OutcomeUnknown('The task was sent, but there was no response. It is unknown whether the agent has it.');
  }

  /** Fetches the card, and throws if the agent differs from the confirmed one. */
  private async resolveAddress(
    context: ConnectionContext,
    { server }: RemoteDelegationRequest,
  ): Promise<sql.RemoteAddress> {
    const agent = await this.agents.fetchAgent(context).catch((error: unknown) => {
      this.log.info({ err: error, connectionId: context.connection.id }, 'agent card could not be read');
      const why = error instanceof OutboundHttpError ? error.message : 'test the connection to see the reason';
      throw new NotSent(`The card of the agent cannot be used: ${why}.`);
    });
    if (!isDeepStrictEqual(confirmedServerOf(agent), server))
      throw new NotSent('The card of the agent has changed. An administrator has to confirm it.');
    const { name, endpoint, credentialHeader, isStreaming } = agent;
    return { agent: name, endpoint, door: credentialHeader, isStreaming };
  }

  /** Its send timeout is slightly shorter than the call's, so that the outcome is known before the call times out. */
  clientFor(context: ConnectionContext, address: sql.RemoteAddress): RemoteAgentClient {
    if (!connectionCovers(context, address)) throw new NotSent('The connection points to another host now.');
    return new RemoteAgentClient(context, address, this.config.limits.callSeconds * 900);
  }

  /** Stores the agent's response about the task. */
  async recordResponse(tenantId: string, callId: string, response: Task | Message): Promise<void> {
    if (isMessage(response)) return this.recordStatus(tenantId, callId, completedByMessage(response));
    const { id: taskId, contextId } = response;
    if (!taskId || !isStorable(taskId) || !isStorable(contextId))
      return this.recordStatus(tenantId, callId, {
        state: 'failed',
        notice: 'it returned an invalid task id.',
      });
    const update = { status: toRemoteStatus(response), remote: { taskId, contextId } };
    await this.inTenant(tenantId, (tx) => sql.recordRemoteStatus(tx, tenantId, callId, update, this.content));
  }

  recordWorking(tenantId: string, callId: string): Promise<void> {
    return this.recordStatus(tenantId, callId, { state: 'working' });
  }

  private recordStatus(tenantId: string, callId: string, status: RemoteTaskStatus): Promise<void> {
    return this.inTenant(tenantId, (tx) => sql.recordRemoteStatus(tx, tenantId, callId, { status }, this.content));
  }

  private inTenant<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.tenant({ tenantId }, work);
  }
}

export const isMessage = (response: Task | Message): response is Message => 'messageId' in response;

export function requireSameTask(task: Task, { taskId }: { taskId: string }): Task {
  if (task.id !== taskId) throw new Error('the agent returned another task');
  return task;
}

const connectionCovers = ({ settings }: ConnectionContext, { endpoint }: sql.RemoteAddress): boolean =>
  originsOf(settings).includes(new URL(endpoint.url).origin);
