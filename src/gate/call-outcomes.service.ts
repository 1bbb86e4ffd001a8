import { Injectable } from '@nestjs/common';
import type { ToolResult } from '../connections/tools.service.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { type CallAuditEntry, CallAuditService } from './call-audit.service.js';
import type { AdmittedCall } from './call-dispatch.service.js';
import { endAttempt } from './call-moves.js';
import { openResult, sealResult } from './call-sealing.js';
import { CallVersionsService } from './call-versions.service.js';
import type { AttemptResult, OutcomeRecipient } from './call-sending.service.js';
import { CallNotificationsService } from './call-notifications.service.js';
import { CallSettlementService } from './call-settlement.service.js';
import { findCall, type LedgerCall } from './call-state.js';
import { endCalls } from './ledger.sql.js';
import { type CallOutcome, toCallOutcome } from './outcome.js';
import { TaskFence } from './task-fence.service.js';
import type { ToolCall } from './tool-call.entity.js';

export interface CompletedAttempt extends OutcomeRecipient {
  tenantId: string;
  run: AdmittedCall;
  attempt: AttemptResult;
  ms: number;
}

/** Longer results are returned but not stored. A replay of the call says so. */
const maxStoredResultLength = 1024 * 1024;

/** Records the outcomes of attempts in the ledger, the audit log and the transcripts of their tasks. */
@Injectable()
export class CallOutcomesService {
  /** Records concurrent outcomes in one transaction. */
  private readonly outcomeBatch = new Batcher<CompletedAttempt, CallOutcome>((tenantId, attempts) =>
    this.recordAll(tenantId, attempts),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly callAudit: CallAuditService,
    private readonly callVersions: CallVersionsService,
    private readonly taskFence: TaskFence,
    private readonly callSettlement: CallSettlementService,
    private readonly callNotifications: CallNotificationsService,
    private readonly seal: SealService,
    private readonly log: LogService,
  ) {}

  record(attempt: CompletedAttempt): Promise<CallOutcome> {
    return this.outcomeBatch.submit(attempt);
  }

  private async recordAll(tenantId: string, attempts: readonly CompletedAttempt[]): Promise<CallOutcome[]> {
    const outcomes = await this.database.tenant({ tenantId }, (tx) => this.recordAttempts(tx, tenantId, attempts));
    return Promise.all(attempts.map(async ({ run }, nth) => outcomes[nth] ?? this.loadRecordedOutcome(run.call)));
  }

  /** Null: another process declared this attempt lost before its answer arrived. */
  private async recordAttempts(
    tx: Tx,
    tenantId: string,
    attempts: readonly CompletedAttempt[],
  ): Promise<(CallOutcome | null)[]> {
    const endings = attempts.map(({ run: { call }, attempt, publish }) => ({
      call,
      ended: {
        ...attempt,
        isDelivered: !publish,
        resultSealed: mayBeReplayed(call) && attempt.result ? this.sealForReplay(call, attempt.result) : null,
      },
    }));
    const store = () => endCalls(tx, tenantId, endings, this.callAudit.serialize(attempts.map(toAuditEntry)));
    const isLastStatement = attempts.every(
      ({ task, publish, run: { call }, attempt }) =>
        !task && !publish && !call.isDelegation && !call.editedBy.length && attempt.state !== 'unsettled',
    );
    const endTimes = await (isLastStatement ? tx.commitWith(store) : store());
    const outcomes: (CallOutcome | null)[] = [];
    for (const { run, attempt, publish } of attempts) {
      const endedAt = endTimes.get(run.call.id);
      const call = endedAt && endAttempt(run.call, attempt, endedAt);
      outcomes.push(call ? await this.callVersions.annotate(tx, call, toFirstOutcome(call, attempt)) : null);
      await publish?.(tx);
      // the delegated task ends together with the call
      if (call?.isDelegation && call.state === 'failed' && !publish) await this.callSettlement.publish(tx, call);
    }
    const unsettled = attempts.flatMap(({ run: { call }, attempt }) =>
      attempt.state === 'unsettled' && endTimes.has(call.id) ? [call] : [],
    );
    await this.callNotifications.publishUnsettled(tx, tenantId, unsettled);
    const taskOutcomes = attempts.flatMap(({ task }, nth) => {
      const outcome = outcomes[nth];
      return task && outcome ? [{ taskId: task.id, leaseEpoch: task.leaseEpoch, ref: task.ref, outcome }] : [];
    });
    for (const { outcome } of await this.taskFence.storeOutcomes(tx, tenantId, taskOutcomes))
      outcome.isInTranscript = true;
    return outcomes;
  }

  /** The outcome that the other process recorded is final. */
  private async loadRecordedOutcome({ tenantId, id }: ToolCall): Promise<CallOutcome> {
    this.log.warn({ callId: id }, 'answer of a call arrived after the call was declared lost');
    return this.database.tenant({ tenantId }, async (tx) => {
      const now = (await findCall(tx, { tenantId, id }))!;
      return this.callVersions.annotate(tx, now, toCallOutcome(now, openResult(this.seal, now), true));
    });
  }

  private sealForReplay(call: ToolCall, result: ToolResult): Buffer {
    const { url, outside, isError, notice } = result;
    const stored =
      JSON.stringify(result).length <= maxStoredResultLength
        ? result
        : { content: [resultTooLong], isError, outside, ...(url ? { url } : {}), ...(notice ? { notice } : {}) };
    return sealResult(this.seal, call, stored);
  }
}

const mayBeReplayed = ({ isDelegation, retryKey }: ToolCall): boolean => isDelegation || retryKey !== null;

function toFirstOutcome(call: LedgerCall, { result, needs }: AttemptResult): CallOutcome {
  const outcome = toCallOutcome(call, result, false);
  return outcome.state === 'failed' ? { ...outcome, ...needs } : outcome;
}

const toAuditEntry = ({
  run: { call, evaluation },
  attempt: { state, code, notice },
  ms,
}: CompletedAttempt): CallAuditEntry => ({
  by: evaluation.principal,
  call,
  event: state,
  detail: { ms, ...(code ? { code } : {}), ...(notice ? { result: notice } : {}) },
});

const resultTooLong = { type: 'text' as const, text: 'The result was too long to store.' };
