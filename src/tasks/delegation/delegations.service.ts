import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Deferred, NotSent, type DeferredTaskStatus } from '../../connections/connections.error.js';
import type { CallOrigin, ToolResult } from '../../connections/connector-registry.service.js';
import type { Configuration } from '../../configurations/configuration.entity.js';
import { ConfigurationsService } from '../../configurations/configurations.service.js';
import { ConfigurationAccessService } from '../../gate/configuration-access.service.js';
import { delegatedPrincipal, GateService, type SettledCall } from '../../gate/gate.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import { type Principal, systemPrincipal } from '../../principal/principal.js';
import type { Part } from '../../agent/agent-model.port.js';
import { awaitsCaller, isTerminal } from '../task.entity.js';
import { TaskCancellationService } from '../task-cancellation.service.js';
import { TaskContentService } from '../task-content.service.js';
import { TasksService } from '../tasks.service.js';
import { type DelegatedTask, findDelegation, markReplyHandled, findPendingReply } from '../delegations.sql.js';
import { delegationLimits, findStopReason } from './limits.js';
import { pollSeconds } from './polling.js';
import { failedResult, toDelegationResult, toDelegateStatus } from './delegation-result.js';
import { addToTree } from './tree.js';

interface DelegationRequest {
  /** The id in the ledger; the same for each poll. */
  callId: string;
  behalf: CallOrigin;
  toId: string;
  parts: Part[];
}

/** Delegates tasks to other configurations on behalf of the same caller, and polls them. */
@Injectable()
export class DelegationsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly configurations: ConfigurationsService,
    private readonly configurationAccess: ConfigurationAccessService,
    private readonly gate: GateService,
    private readonly tasks: TasksService,
    private readonly cancellation: TaskCancellationService,
    private readonly content: TaskContentService,
  ) {}

  onModuleInit(): void {
    this.gate.onSettled((call) => this.onCallEnded(call));
  }

  /** Delegates the task once, then polls it. Throws `Deferred` until it has ended. */
  async delegateOrPoll(request: DelegationRequest): Promise<ToolResult> {
    const { tenantId } = request.behalf.principal;
    const { from, to } = await this.loadConfigurations(request);
    const principal = delegatedPrincipal(request.behalf.principal, from, to.id);
    const known = await this.find(tenantId, request.callId);
    if (!known) await this.begin(principal, request, to);
    const task = known ?? (await this.find(tenantId, request.callId))!;
    const { status, artifacts, isTainted } = task;
    if (!status) {
      await this.submit(principal, request, task, request.parts);
      throw new Deferred({ agent: to.name, state: 'working' }, pollSeconds(task.createdAt));
    }
    const isPolledByTask = request.behalf.taskId !== null && !task.isParentOver;
    const deferred = (agentStatus: DeferredTaskStatus) =>
      Object.assign(new Deferred(agentStatus, pollSeconds(task.createdAt), isPolledByTask), { isForeign: isTainted });
    if (isTerminal(status.state)) return toDelegationResult(to.name, status, artifacts, isTainted);
    const end = findStopReason(task);
    if (end) {
      await this.cancel(tenantId, task.taskId);
      return failedResult(`"${to.name}" was stopped: ${end}.`, isTainted);
    }
    const isForwarded = awaitsCaller(status.metadata) && (await this.forwardReply(principal, request, task));
    const agentStatus = isForwarded ? { agent: to.name, state: 'working' as const } : toDelegateStatus(to.name, status);
    throw deferred(agentStatus);
  }

  private async find(tenantId: string, callId: string): Promise<DelegatedTask | null> {
    const task = await this.database.tenant({ tenantId }, (tx) => tx.one(findDelegation, [tenantId, callId]));
    if (task?.status) task.status = this.content.openStatus(task.taskId, task.status);
    if (task?.artifacts) task.artifacts = this.content.openArtifacts(task.taskId, task.artifacts);
    return task;
  }

  private async loadConfigurations({
    behalf,
    toId,
  }: DelegationRequest): Promise<{ from: Configuration; to: Configuration }> {
    const { tenantId } = behalf.principal;
    return this.database.tenant({ tenantId }, async (tx) => {
      const from = await this.configurations.findBundle(tx, tenantId, behalf.configurationId);
      const to = await this.configurations.findBundle(tx, tenantId, toId);
      if (!from || !to) throw new NotSent('The configuration to delegate to no longer exists.');
      return { from: from.configuration, to: to.configuration };
    });
  }

  private async begin(principal: Principal, request: DelegationRequest, to: Configuration): Promise<void> {
    const above = principal.chain.filter(({ kind }) => kind === 'configuration').map(({ id }) => id);
    if (above.includes(to.id))
      throw new NotSent(`"${to.name}" already works on this task. Delegating to it again would create a cycle.`);
    if (above.length > delegationLimits.depth)
      throw new NotSent(`A task can be delegated at most ${delegationLimits.depth} levels deep.`);
    const refusal = await this.configurationAccess.findDenialReason(principal, to.id);
    if (refusal) throw new NotSent(`"${to.name}" does not accept this task. ${refusal}`);
    const { callId, behalf } = request;
    const part = { callId, parentTaskId: behalf.taskId, isTainted: behalf.isTainted };
    await this.database.tenant(principal, (tx) => addToTree(tx, principal, part));
  }

  private async submit(
    principal: Principal,
    { callId, toId }: DelegationRequest,
    { taskId }: DelegatedTask,
    parts: Part[],
    messageId?: string,
  ) {
    const as = { id: taskId, ownerId: taskId };
    await this.tasks.submit(principal, { externalId: callId, configurationId: toId, parts, messageId, as });
  }

  /** Forwards the caller's reply from the parent task if this task asked for it. */
  private async forwardReply(principal: Principal, request: DelegationRequest, task: DelegatedTask): Promise<boolean> {
    const { tenantId } = principal;
    const message = await this.database.tenant(principal, (tx) =>
      findPendingReply(tx, tenantId, request.callId, this.content),
    );
    if (!message) return false;
    const { position } = message;
    const { parts } = JSON.parse(message.body) as { parts: Part[] };
    // a separate message id, because the same text may answer two questions
    await this.submit(principal, request, task, parts, `${request.callId}:${position}`);
    await this.database.tenant(principal, (tx) =>
      tx.execute(markReplyHandled, [tenantId, request.callId, position, true]),
    );
    return true;
  }

  /** Cancels the task of a call that failed or was denied, for example because its caller lost access. */
  private async onCallEnded({ tenantId, callId, state }: SettledCall): Promise<void> {
    if (state !== 'failed' && state !== 'denied') return;
    const task = await this.find(tenantId, callId);
    if (task?.status && !isTerminal(task.status.state)) await this.cancel(tenantId, task.taskId);
  }

  private cancel(tenantId: string, taskId: string): Promise<void> {
    return this.cancellation.cancelIfOpen(systemPrincipal(tenantId, 'tasks'), taskId);
  }
}
