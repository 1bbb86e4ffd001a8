import { Injectable } from '@nestjs/common';
import { Deferred } from '../connections/connections.error.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { AdmittedCall } from './call-dispatch.service.js';
import { CallSendingService, type OutcomeRecipient } from './call-sending.service.js';
import { renewExecution } from './ledger.sql.js';
import type { CallOutcome } from './outcome.js';
import { CallOutcomesService } from './call-outcomes.service.js';

/** The ledger polls a delegation if its task has not done so this long after the due time. */
const taskGraceSeconds = 60;

/** Sends an admitted call once and records its outcome. */
@Injectable()
export class CallExecutor {
  constructor(
    private readonly database: DatabaseService,
    private readonly callSending: CallSendingService,
    private readonly callOutcomes: CallOutcomesService,
  ) {}

  async run(run: AdmittedCall, recipient: OutcomeRecipient): Promise<CallOutcome> {
    const startedAt = performance.now();
    const attempt = await this.callSending.send(run, recipient);
    if (attempt instanceof Deferred) return this.defer(run, attempt);
    const ms = Math.round(performance.now() - startedAt);
    return this.callOutcomes.record({ tenantId: run.call.tenantId, run, attempt, ms, ...recipient });
  }

  /** The task stores its next poll as its due time. The ledger polls if no task waits or the task does not return. */
  private async defer({ call }: AdmittedCall, deferral: Deferred): Promise<CallOutcome> {
    const { taskStatus: deferred, pollSeconds, isPolledByTask, isForeign } = deferral;
    const ledgerSeconds = isPolledByTask ? pollSeconds + taskGraceSeconds : Math.ceil(pollSeconds);
    await this.database.tenant(call, (tx) => renewExecution(tx, call, ledgerSeconds));
    return {
      callId: call.id,
      tool: call.tool,
      state: 'executing',
      deferred,
      pollSeconds,
      ...(isForeign ? { isForeign } : {}),
    };
  }
}
