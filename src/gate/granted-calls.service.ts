import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { type AdmittedCall, CallDispatchService } from './call-dispatch.service.js';
import type { EvaluationContext } from './call-evaluation.service.js';
import type { CallIn } from './call-state.js';
import { TaskGrantsService } from './task-grants.service.js';

/** Starts new calls that a grant for their task covers. */
@Injectable()
export class GrantedCallsService {
  constructor(
    private readonly taskGrants: TaskGrantsService,
    private readonly callDispatch: CallDispatchService,
  ) {}

  /** The use of the grant is stored with the call. Null: no grant covers it. `run` null: an identical call was inserted concurrently. */
  async start(
    tx: Tx,
    call: CallIn<'requested'>,
    evaluation: EvaluationContext,
  ): Promise<{ run: AdmittedCall | null } | null> {
    const grant = await this.taskGrants.take(tx, call, evaluation);
    call.grantId = grant?.id ?? null;
    if (!grant) return null;
    const [run] = await this.callDispatch.startNew(tx, [{ call, evaluation }]);
    if (run) await this.taskGrants.recordUse(tx, evaluation.principal, grant, call);
    else await this.taskGrants.returnUse(tx, grant);
    return { run: run ?? null };
  }
}
