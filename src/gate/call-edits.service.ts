import { Injectable } from '@nestjs/common';
import { requireSession } from '../access/sessions.service.js';
import type { ApprovalCandidate } from '../approvals/approval-candidate.entity.js';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import type { Approval } from '../approvals/approval.entity.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Problem } from '../platform/errors/problem.js';
import type { Principal } from '../principal/principal.js';
import { lastExpiry } from './approval-request.service.js';
import { CallAuditService } from './call-audit.service.js';
import { CallCompletionService } from './call-completion.service.js';
import { CallEvaluationService } from './call-evaluation.service.js';
import { editCall } from './call-moves.js';
import { openArguments } from './call-sealing.js';
import { CallSettlementService } from './call-settlement.service.js';
import { type CallIn, findCallIn, type LedgerCall } from './call-state.js';
import { CallVersionsService } from './call-versions.service.js';
import { toCallPrincipal } from './caller.js';
import type { CallEditResult, EditCallInput } from './edit-call.input.js';
import { callNotEditable, editUnreachable, invalidEdit, notAsShown } from './gate.error.js';
import { Refusal } from './refusal.js';
import { RequestersService } from './requesters.service.js';
import { type ArgumentCheck, IsolatedCheckRequired } from './schema-check.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { ToolCall } from './tool-call.entity.js';

/** Rolls back the transaction of a preview. */
class PreviewCompleted extends Error {
  constructor(readonly result: CallEditResult) {
    super('preview');
  }
}

/**
 * Lets an eligible approver change the arguments of a pending call. The edited call needs the approvals that the policies
 * require for it, by others: the editor becomes one of its requesters.
 */
@Injectable()
export class CallEditsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly approvals: ApprovalsService,
    private readonly steps: ApprovalStepsService,
    private readonly callEvaluation: CallEvaluationService,
    private readonly callVersions: CallVersionsService,
    private readonly callCompletion: CallCompletionService,
    private readonly callSettlement: CallSettlementService,
    private readonly callAudit: CallAuditService,
    private readonly requesters: RequestersService,
    private readonly seal: SealService,
  ) {}

  edit(principal: Principal, input: EditCallInput): Promise<CallEditResult> {
    return this.withCheckedArguments((check) =>
      this.database.tenant(principal, (tx) => this.editIn(tx, principal, input, check)),
    );
  }

  /** What `edit` would do, or the problem that it would report. Changes nothing. */
  preview(principal: Principal, input: EditCallInput): Promise<CallEditResult> {
    return this.withCheckedArguments(async (check) => {
      try {
        return await this.database.tenant<CallEditResult>(principal, async (tx) => {
          throw new PreviewCompleted(await this.editIn(tx, principal, input, check));
        });
      } catch (error) {
        if (error instanceof PreviewCompleted) return error.result;
        throw error;
      }
    });
  }

  /** Whether the member can edit the call now, as far as the step and the state of the call decide it. */
  async isEditable(principal: Principal, { tenantId, stepName, state, callId }: Approval): Promise<boolean> {
    if (state !== 'pending' || principal.sessionId === undefined) return false;
    return this.database.tenant(principal, async (tx) => {
      const step = await this.steps.find(tx, tenantId, stepName);
      if (!step?.allowsEdit) return false;
      return tx.existsBy(ToolCall, { tenantId, id: callId, state: 'awaiting_approval', attempts: 0 });
    });
  }

  /** No transaction is open while a worker checks the arguments. */
  private async withCheckedArguments<T>(run: (check?: ArgumentCheck) => Promise<T>): Promise<T> {
    let completedCheck: ArgumentCheck | undefined;
    for (;;) {
      try {
        return await run(completedCheck);
      } catch (error) {
        if (!(error instanceof IsolatedCheckRequired)) throw error; // repeats once, unless the tool changes meanwhile
        completedCheck = await error.run();
      }
    }
  }

  private async editIn(
    tx: Tx,
    principal: Principal,
    input: EditCallInput,
    completedCheck?: ArgumentCheck,
  ): Promise<CallEditResult> {
    const { memberId } = requireSession(principal);
    const approval = await this.approvals.lockForDecider(tx, principal, input.approvalId);
    const call = await this.requireEditable(tx, approval, input);
    const { evaluation, change } = await this.evaluate(tx, call, input.arguments, completedCheck);
    if (evaluation.args.hash.equals(call.argumentsHash!))
      throw invalidEdit('The arguments are the same as before. Approve the call instead.');
    const { saltedHash: previousHash } = openArguments(this.seal, call);
    const { redactedArguments: previousArguments, steps: previousSteps } = call;
    const { verdict, reason } = evaluation.decision;
    const steps = verdict === 'approval' ? change.steps : previousSteps;
    await this.callVersions.store(tx, call, memberId);
    const edited = await editCall(tx, call, { ...change, steps, editedBy: [...call.editedBy, memberId] });
    if (!edited) throw callNotEditable('The call changed in the meantime.');
    await this.callAudit.recordDecision(tx, principal, edited, 'edited', {
      verdict,
      previous: { arguments: previousArguments, argumentsHash: previousHash, steps: previousSteps },
      approvalId: approval.id,
    });
    const result = verdict === 'deny' ? this.deny(tx, principal, edited, reason) : this.request(tx, principal, edited);
    return { ...(await result), argumentsHash: evaluation.args.hash.toString('hex') };
  }

  private async requireEditable(
    tx: Tx,
    { tenantId, stepName, callId }: Approval,
    shown: EditCallInput,
  ): Promise<CallIn<'awaiting_approval'>> {
    const step = await this.steps.find(tx, tenantId, stepName);
    if (!step?.allowsEdit) throw callNotEditable(`The approval step "${stepName}" does not allow edits.`);
    const call = await findCallIn(tx, { tenantId, id: callId }, 'awaiting_approval');
    if (!call) throw callNotEditable('The call no longer waits for an approval.');
    if (call.attempts > 0)
      throw callNotEditable('The call was sent before, and its outcome is unknown. It runs again only as it was.');
    if (shown.argumentsHash !== call.argumentsHash!.toString('hex') || shown.definitionHash !== call.definitionHash)
      throw notAsShown('The call changed since you opened it. Reload it, then edit it again.');
    return call;
  }

  private async evaluate(tx: Tx, call: ToolCall, argumentsText: string, completedCheck?: ArgumentCheck) {
    try {
      return await this.callEvaluation.evaluateEdit(tx, call, argumentsText, completedCheck);
    } catch (error) {
      throw error instanceof Refusal ? toEditProblem(error) : error;
    }
  }

  /** The policies deny the edited arguments: this ends the call. The caller learns why when it returns. */
  private async deny(tx: Tx, principal: Principal, call: LedgerCall, denial: string) {
    const reason = `An approver edited the call, and the policies deny the edited call: ${denial}`;
    await this.approvals.void(tx, principal, [call.id], reason, 'edited');
    await this.callCompletion.deny(tx, principal, call, { code: 'policy-denied', reason });
    await this.callSettlement.publish(tx, call);
    return { callId: call.id, state: 'denied' as const, reason, approvalId: null, steps: [], candidates: [] };
  }

  private async request(tx: Tx, principal: Principal, call: CallIn<'awaiting_approval'>) {
    const { tenantId, id: callId, configurationId, taskId, tool, steps, editedBy } = call;
    const callRequesters = await this.requesters.resolve(tx, toCallPrincipal(call));
    const requesters = [...new Set([...callRequesters.requesters, ...editedBy])];
    const request = { callId, configurationId, taskId, tool, stepNames: steps, ...callRequesters, requesters };
    const approvals = await this.approvals.requestAgain(
      tx,
      principal,
      request,
      `${principal.name} edited the arguments. The edited call has approvals of its own.`,
    );
    if (!approvals)
      throw editUnreachable(
        `Who edits a call cannot approve it, and too few others can decide on the step ${steps.map((name) => `"${name}"`).join(' and ')}. Deny the call with a reason instead.`,
      );
    await tx.update(ToolCall, { tenantId, id: callId }, { expiresAt: lastExpiry(approvals) });
    await this.callSettlement.publish(tx, call);
    const [candidates]: ApprovalCandidate[][] = await this.approvals.candidatesOfNew(tx, tenantId, [request]);
    return { callId, state: call.state, reason: null, approvalId: approvals[0].id, steps, candidates };
  }
}

function toEditProblem({ code, reason, disclosed: { faults } }: Refusal): Problem {
  if (code !== 'invalid-arguments') return callNotEditable(reason);
  const errors = faults?.map(({ pointer, detail }) => ({ pointer: `/input/arguments${pointer}`, detail }));
  return invalidEdit(reason, { errors });
}
