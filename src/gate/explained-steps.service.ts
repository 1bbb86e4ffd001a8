import { Injectable } from '@nestjs/common';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import type { ExplainCallArgs, ExplainedStep } from './call-explanation.object.js';
import { RequestersService } from './requesters.service.js';

type ExplainedRequest = Pick<ExplainCallArgs, 'configurationId' | 'tool'>;

/** Explains who could decide on a call if it were requested now. */
@Injectable()
export class ExplainedStepsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly requesters: RequestersService,
    private readonly approvals: ApprovalsService,
    private readonly steps: ApprovalStepsService,
  ) {}

  /** In the order of the names. */
  async explain(caller: Principal, request: ExplainedRequest, names: readonly string[]): Promise<ExplainedStep[]> {
    if (!names.length) return [];
    return this.database.tenant(caller, async (tx) => {
      const steps: ExplainedStep[] = [];
      for (const name of names) steps.push(await this.explainStep(tx, caller, request, name));
      return steps;
    });
  }

  private async explainStep(
    tx: Tx,
    caller: Principal,
    { configurationId, tool }: ExplainedRequest,
    name: string,
  ): Promise<ExplainedStep> {
    const callRequesters = await this.requesters.resolve(tx, caller);
    const call = { callId: newId(), configurationId, taskId: null, tool, stepNames: [name], ...callRequesters };
    const [candidates] = await this.approvals.candidatesOfNew(tx, caller.tenantId, [call]);
    const step = await this.steps.find(tx, caller.tenantId, name);
    const deciders = candidates.filter(({ mayDecide }) => mayDecide);
    return { name, step, isReachable: step !== null && deciders.length >= step.quorum, candidates };
  }
}
