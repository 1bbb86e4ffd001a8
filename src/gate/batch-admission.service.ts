import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher, isRefusedByDatabase } from '../platform/database/batcher.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { CallEvaluationService } from './call-evaluation.service.js';
import { type GateCallRequest, newCall } from './new-call.js';
import { assignRetryKey } from './retry-key.js';
import { type TaskCallHistory, TaskFence } from './task-fence.service.js';
import { type AllowedCall, type AdmittedCall, CallDispatchService } from './call-dispatch.service.js';
import type { CallIn } from './call-state.js';

interface AdmissionRequest {
  tenantId: string;
  principal: Principal;
  request: GateCallRequest;
}

/**
 * The fast path for common calls: allowed without approval, and not a retry. Concurrent calls are admitted in one
 * transaction. It loads current facts, each only once, and writes all attempts and their audit events together.
 */
@Injectable()
export class BatchAdmissionService {
  private readonly admissionBatch = new Batcher<AdmissionRequest, AdmittedCall | null>((_tenantId, requests) =>
    this.database.tenant(requests[0], (tx) => this.admitAll(tx, requests)),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly taskFence: TaskFence,
    private readonly callEvaluation: CallEvaluationService,
    private readonly callDispatch: CallDispatchService,
  ) {}

  /** Null: this call needs individual admission. Only the turn that requested it was written. */
  admit(principal: Principal, request: GateCallRequest): Promise<AdmittedCall | null> {
    return this.admissionBatch.submit({ tenantId: principal.tenantId, principal, request });
  }

  private async admitAll(tx: Tx, requests: readonly AdmissionRequest[]): Promise<(AdmittedCall | null)[]> {
    const cache = new TransactionCache(tx);
    const calls = requests.map(({ principal, request }) => newCall(principal, request));
    const incoming = requests.map(({ request }, nth) => ({ call: calls[nth], turn: request.task?.turn }));
    const [histories, ...evaluated] = await Promise.all([
      this.taskFence.acquire(tx, incoming),
      ...calls.map((call, nth) => this.evaluate(cache, call, requests[nth])),
    ]);
    const allowed = evaluated.filter((run, nth) => run !== null && isFirstAttempt(histories[nth])) as AllowedCall[];
    if (!allowed.length) return calls.map(() => null);
    const isRepeatable = allowed.every(
      ({ call }) => call.effect === 'read' && !call.isDelegation && call.taskId === null,
    );
    const [admitted] = await tx.commitWith(() =>
      Promise.all([this.callDispatch.startNew(tx, allowed), isRepeatable && tx.commitWithoutFlush()]),
    );
    const started = new Map(admitted.map((run) => [run.call.id, run]));
    return calls.map(({ id }) => started.get(id) ?? null);
  }

  private async evaluate(
    cache: TransactionCache,
    call: CallIn<'requested'>,
    { principal, request }: AdmissionRequest,
  ): Promise<AllowedCall | null> {
    try {
      const evaluation = await this.callEvaluation.evaluate(cache, principal, call, request);
      if (evaluation.decision.verdict !== 'allow') return null;
      assignRetryKey(call, evaluation);
      return { call, evaluation };
    } catch (error) {
      if (isRefusedByDatabase(error)) throw error; // the error aborted the transaction
      return null; // the error concerns this call only, and individual admission raises it again
    }
  }
}

/** The tool was not denied in this task, the call was not sent before, and no other process holds the task. */
const isFirstAttempt = (history: TaskCallHistory | null): boolean => history?.denials === 0 && history.sentId === null;
