import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { auditActorOf } from '../audit/audit.service.js';
import { AgentService } from '../agent/agent.service.js';
import type { Artifact, ModelToolCall, Progress, TranscriptItem, TurnEnd } from '../agent/agent-model.port.js';
import { GateService, type CallOutcome } from '../gate/gate.service.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { ParentTaskNotifier } from './parent-task-notifier.service.js';
import {
  awaitingApprovalStatus,
  endStatus,
  pausedStatus,
  rejectedStatus,
  waitingForAgentStatus,
  workingStatus,
} from './task-status.js';
import type { RunConfiguration } from './claims.system.sql.js';
import type { TaskLease } from './task-lease.js';
import { TaskLimitsService } from './task-limits.service.js';
import { TaskRunRepository } from './task-run-repository.service.js';
import { TaskNotifier } from './task-notifier.service.js';
import { awaitsCaller, type TaskStatus } from './task.entity.js';
import type { Advance } from './task-advances.sql.js';
import { dueTopic } from './topics.js';
import {
  type DelegatedAgentStatus,
  earliestPollSeconds,
  executingPollSeconds,
  hasResult,
  isDeferred,
  listAgentStatuses,
  selectShownStatus,
} from './unfinished-calls.js';
import { openCalls, resultItem, taints, toRow, turnItem } from './transcript.js';

/** A decision wakes its task at once. This recheck covers a process that dies before the wake-up. */
const recheckSeconds = 60;
const pauseSeconds = 5;

type CallWithOutcome = { request: ModelToolCall; outcome: CallOutcome };

/**
 * Runs one claimed task in a loop: execute the open calls, take the next turn, store it, until the task ends or has to
 * wait. All state is in the rows, so after a crash another process continues the loop at the same point.
 */
@Injectable()
export class TaskExecutor {
  constructor(
    private readonly taskRunRepository: TaskRunRepository,
    private readonly agent: AgentService,
    private readonly gate: GateService,
    private readonly taskNotifier: TaskNotifier,
    private readonly parents: ParentTaskNotifier,
    private readonly wakeupChannel: WakeupChannel,
    private readonly limits: TaskLimitsService,
  ) {}

  /** Throws LeaseLost, with nothing written, if another process holds the task. */
  async run(lease: TaskLease): Promise<void> {
    const { configuration } = lease;
    lease.status = this.taskRunRepository.openStatus(lease);
    const transcript = await this.taskRunRepository.loadTranscript(lease);
    if (configuration === null) await this.end(lease, [], configurationNotFoundStatus());
    else if (configuration.isPaused) await this.pause(lease, { items: [] }, 'the configuration');
    else await this.work(lease, transcript, configuration);
  }

  private async work(lease: TaskLease, transcript: TranscriptItem[], configuration: RunConfiguration): Promise<void> {
    while (await this.executeOpenCalls(lease, transcript)) {
      const failure = this.limits.findExceededWorkLimit(lease);
      const isReleased = failure
        ? await this.end(lease, [], failure)
        : await this.turn(lease, transcript, configuration);
      if (isReleased) return;
    }
  }

  /** Executes all open calls. False: the task waits for one of them, and the lease was released. */
  private async executeOpenCalls(lease: TaskLease, transcript: TranscriptItem[]): Promise<boolean> {
    for (let open = openCalls(transcript); open.length; open = openCalls(transcript)) {
      if (await this.waitsForCallLimit(lease, open.length)) return false;
      const startedAt = performance.now();
      const results = await Promise.all(open.map((request) => this.call(lease, request)));
      if (results.every(({ outcome }) => isDeferred(outcome))) lease.unworkedMs += performance.now() - startedAt;
      const completed = results.filter(({ outcome }) => hasResult(outcome));
      const isTainted = results.some(({ outcome }) => taints(outcome));
      const unstored = completed.filter(({ outcome }) => !outcome.isInTranscript);
      const items = unstored.map(toResultItem).map(toRow);
      const isReleased = await this.storeOrWait(lease, results, { items, isTainted });
      transcript.push(...completed.map(toResultItem));
      lease.isTainted ||= isTainted;
      lease.clearSuspicion();
      if (isReleased) return false;
    }
    return true;
  }

  private async call(lease: TaskLease, request: ModelToolCall): Promise<CallWithOutcome> {
    lease.assertHeld();
    const { principal, configurationId, id, leaseEpoch, isTainted: tainted, unstoredTurn: turn } = lease;
    const { tool, arguments: args, ref } = request;
    lease.unstoredTurn = undefined; // the gate stores it
    const task = { id, leaseEpoch, tainted, ref, turn, isHeld: () => lease.isHeld };
    const outcome = await this.gate.call(principal, { configurationId, tool, arguments: args, task });
    return { request, outcome };
  }

  /** Stores the results. True: a call has no result yet, so the task waits and the lease was released. */
  private async storeOrWait(
    lease: TaskLease,
    results: CallWithOutcome[],
    stored: Pick<Advance, 'items' | 'isTainted'>,
  ): Promise<boolean> {
    const outcomes = results.map(({ outcome }) => outcome);
    const pending = outcomes.find((outcome) => outcome.state === 'awaiting_approval');
    if (pending) {
      const isShown = lease.status.metadata?.approvalId === pending.approvalId;
      const status = isShown ? undefined : awaitingApprovalStatus(pending);
      return this.advance(lease, { ...stored, step: 'wait', waiting: 'approval', status, dueSeconds: recheckSeconds });
    }
    const paused = outcomes.find((outcome) => outcome.state === 'denied' && outcome.code === 'paused');
    if (paused) return this.pause(lease, stored, paused.tool);
    const agentStatuses = listAgentStatuses(outcomes);
    if (agentStatuses.length) {
      const agentStatus = selectShownStatus(agentStatuses, lease.status);
      return this.waitForAgent(lease, agentStatus, stored, earliestPollSeconds(outcomes));
    }
    if (outcomes.some((outcome) => outcome.state === 'executing'))
      return this.advance(lease, { ...stored, step: 'retry', dueSeconds: executingPollSeconds });
    // an approval was decided: show the caller that the task continues
    const status = lease.status.state === 'input-required' ? workingStatus() : undefined;
    if (stored.items.length || status) await this.advance(lease, { ...stored, step: 'go on', status });
    return false;
  }

  /** Waits for a delegated agent, which may itself wait for input. The task's due time is its next poll. */
  private async waitForAgent(
    lease: TaskLease,
    agentStatus: DelegatedAgentStatus | null,
    stored: Pick<Advance, 'items' | 'isTainted'>,
    dueSeconds: number,
  ) {
    const waits = { ...stored, step: 'wait', dueSeconds } as const;
    this.wakeAfter(dueSeconds * 1000, lease.id);
    if (!agentStatus) {
      const status = lease.status.state === 'input-required' ? workingStatus() : undefined;
      return this.advance(lease, { ...waits, waiting: 'approval', status });
    }
    const status = waitingForAgentStatus(agentStatus);
    const isShown = isDeepStrictEqual({ ...status, timestamp: lease.status.timestamp }, lease.status);
    const waiting = awaitsCaller(status.metadata) ? 'information' : 'approval';
    const isReleased = await this.advance(lease, { ...waits, waiting, status: isShown ? undefined : status });
    if (waiting === 'information') await this.parents.wakeIfReplyPending(lease.tenantId, lease.id);
    return isReleased;
  }

  /** Requests the next turn from the model and stores it. True: the task ended or waits. */
  private async turn(
    lease: TaskLease,
    transcript: TranscriptItem[],
    { modelConnectionId }: RunConfiguration,
  ): Promise<boolean> {
    const { principal, configurationId, id: taskId } = lease;
    const turn = await lease.runWithin(this.limits.remainingMs(lease), (signal) =>
      this.agent.turn(principal, { configurationId, modelConnectionId, transcript, taskId }, signal),
    );
    if (!turn) return this.end(lease, [], this.limits.findExceededWorkLimit(lease)!);
    if (turn.pausedBy) return this.pause(lease, { items: [] }, turn.pausedBy);
    const excess = this.limits.findExceededCallLimit(transcript, turn.calls.length);
    if (excess) return this.end(lease, [], excess);
    const item = turnItem(turn);
    transcript.push(item);
    if (turn.isTainted && !lease.isTainted) {
      // has to be stored before any call of the turn is evaluated
      lease.isTainted = true;
      await this.advance(lease, { items: [], isTainted: true, step: 'go on' });
    }
    if (turn.progress) return this.showProgress(lease, item, turn.progress);
    lease.turns += 1;
    const end = turn.end ?? (turn.calls.length ? undefined : emptyTurnEnd);
    if (end) return this.endTurn(lease, transcript, item, end);
    // a single call stores the turn in the transaction that commits its attempt
    if (turn.calls.length === 1) lease.unstoredTurn = toRow(item).body;
    else await this.advance(lease, { items: [toRow(item)], turns: 1, step: 'go on' });
    return false;
  }

  /** Stores a turn that requests no calls: it asks the caller, or ends the task. */
  private async endTurn(
    lease: TaskLease,
    transcript: readonly TranscriptItem[],
    item: TranscriptItem,
    end: TurnEnd,
  ): Promise<boolean> {
    const status = endStatus(end);
    if (end.state === 'input-required')
      return this.advance(lease, { items: [toRow(item)], turns: 1, step: 'wait', waiting: 'information', status });
    const artifacts =
      end.state === 'completed' ? await this.withShownArtifacts(lease, transcript, end.artifacts) : undefined;
    return this.end(lease, [item], status, artifacts);
  }

  /** Keeps the artifacts that delegated agents have already shown on the task's stream. */
  private async withShownArtifacts(
    lease: TaskLease,
    transcript: readonly TranscriptItem[],
    artifacts: Artifact[],
  ): Promise<Artifact[]> {
    if (!transcript.some((item) => item.kind === 'result' && item.outcome.result?.isShown)) return artifacts;
    const own = new Set(artifacts.map(({ artifactId }) => artifactId));
    const shown = await this.taskRunRepository.loadArtifacts(lease);
    return [...artifacts, ...shown.filter(({ artifactId }) => !own.has(artifactId))];
  }

  /** Commits progress together with its step, so that it is never shown twice. False: the next step is due at once. */
  private async showProgress(
    lease: TaskLease,
    item: TranscriptItem,
    { chunk, message, afterMs }: Progress,
  ): Promise<boolean> {
    const status = message === undefined ? lease.status : workingStatus(message);
    const shown = { items: [toRow(item)], chunk, status: chunk || message !== undefined ? status : undefined };
    if (afterMs <= 0) return this.advance(lease, { ...shown, step: 'go on' });
    await this.advance(lease, { ...shown, step: 'wait', waiting: 'time', dueSeconds: afterMs / 1000 });
    this.wakeAfter(afterMs, lease.id);
    return true;
  }

  /** Only improves punctuality: if this process dies, other processes find the due task by polling. */
  private wakeAfter(ms: number, taskId: string): void {
    setTimeout(() => this.wakeupChannel.publish(dueTopic, taskId), ms).unref();
  }

  private async end(
    lease: TaskLease,
    items: TranscriptItem[],
    status: TaskStatus,
    artifacts?: Advance['artifacts'],
  ): Promise<boolean> {
    const actor = auditActorOf(lease.principal);
    return this.advance(lease, { items: items.map(toRow), turns: items.length, step: 'end', status, artifacts, actor });
  }

  private pause(lease: TaskLease, stored: Pick<Advance, 'items' | 'isTainted'>, what: string): Promise<boolean> {
    const status = lease.status.metadata?.reason === 'pause' ? undefined : pausedStatus(what);
    return this.advance(lease, { ...stored, step: 'wait', waiting: 'pause', status, dueSeconds: pauseSeconds });
  }

  /** True: the lease was released. */
  private async advance(lease: TaskLease, advance: Advance): Promise<boolean> {
    lease.assertHeld();
    const { unworkedMs } = lease;
    const row = await this.taskRunRepository.advance(lease, { ...advance, unworkedMs });
    lease.clearSuspicion();
    if (advance.status && row.isApplied) {
      lease.status = advance.status;
      const { status, artifacts = null, chunk } = advance;
      this.taskNotifier.notify(lease.principal, lease.id, { number: row.number, status, artifacts, chunk });
    }
    return advance.step !== 'go on' && row.isApplied;
  }

  /** True: the key has reached its limit of calls per minute, and the task continues in the next minute. */
  private async waitsForCallLimit(lease: TaskLease, calls: number): Promise<boolean> {
    const excess = this.limits.consumeCalls(lease, calls);
    if (!excess) return false;
    const { dueSeconds, message } = excess;
    const isShown = lease.status.message?.parts[0]?.text === message;
    const items: Advance['items'] =
      lease.unstoredTurn === undefined ? [] : [{ kind: 'turn', body: lease.unstoredTurn }];
    const status = isShown ? undefined : workingStatus(message);
    return this.advance(lease, { items, turns: items.length, step: 'wait', waiting: 'time', status, dueSeconds });
  }
}

const toResultItem = ({ request, outcome }: CallWithOutcome) => resultItem(request.ref, outcome);

const configurationNotFoundStatus = (): TaskStatus =>
  rejectedStatus('configuration-not-found', 'The configuration that this task was sent to no longer exists.');

const emptyTurnEnd: TurnEnd = {
  state: 'failed',
  code: 'model-unavailable',
  detail: 'The model neither requested a call nor ended the task.',
};
