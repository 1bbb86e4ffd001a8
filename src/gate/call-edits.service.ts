import { Injectable } from '@nestjs/common';
import { requireSession } from '../access/sessions.service.js';
import { ApprovalDecidersService } from '../approvals/approval-deciders.service.js';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import type { Approval } from '../approvals/approval.entity.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Problem } from '../platform/errors/problem.js';
import type { Principal } from '../principal/principal.js';
import { CallAuditService } from './call-audit.service.js';
import { CallEvaluationService } from './call-evaluation.service.js';
import { editCall } from './call-moves.js';
import { type CallIn, findCallIn } from './call-state.js';
import { CallVersionsService } from './call-versions.service.js';
import type { CallEditResult, EditCallInput } from './edit-call.input.js';
import { EditedCallsService } from './edited-calls.service.js';
import { callNotEditable, invalidEdit, notAsShown } from './gate.error.js';
import { Refusal } from './refusal.js';
import { type ArgumentCheck, IsolatedCheckRequired } from './schema-check.js';
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
    private readonly approvalDeciders: ApprovalDecidersService,
    private readonly steps: ApprovalStepsService,
    private readonly callEvaluation: CallEvaluationService,
    private readonly callVersions: CallVersionsService,
    private readonly callAudit: CallAuditService,
    private readonly editedCalls: EditedCallsService,
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
    const approval = await this.approvalDeciders.lock(tx, principal, input.approvalId);
    const call = await this.requireEditable(tx, approval, input);
    const { evaluation, change } = await this.evaluate(tx, call, input.arguments, completedCheck);
    if (evaluation.args.hash.equals(call.argumentsHash!))
      throw invalidEdit('The arguments are the same as before. Approve the call instead.');
    const { redactedArguments: previousArguments, steps: previousSteps } = call;
    const { verdict, reason } = evaluation.decision;
    // the edit would end the call, and ending it needs a signature
    if (verdict === 'deny' && approval.requiresPasskey)
      throw callNotEditable(`The policies deny the edited call: ${reason} To end the call, deny it with your passkey.`);
    const steps = verdict === 'approval' ? change.steps : previousSteps;
    const previousHash = await this.callVersions.store(tx, call, memberId);
    const edited = await editCall(tx, call, { ...change, steps, editedBy: [...call.editedBy, memberId] });
    if (!edited) throw callNotEditable('The call changed in the meantime.');
    await this.callAudit.recordDecision(tx, principal, edited, 'edited', {
      verdict,
      previous: { arguments: previousArguments, argumentsHash: previousHash, steps: previousSteps },
      approvalId: approval.id,
    });
    const result =
      verdict === 'deny'
        ? await this.editedCalls.deny(tx, principal, edited, reason)
        : await this.editedCalls.requestApprovals(tx, principal, edited);
    return { ...result, argumentsHash: evaluation.args.hash.toString('hex') };
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
}

function toEditProblem({ code, reason, disclosed: { faults } }: Refusal): Problem {
  if (code !== 'invalid-arguments') return callNotEditable(reason);
  const errors = faults?.map(({ pointer, detail }) => ({ pointer: `/input/arguments${pointer}`, detail }));
  return invalidEdit(reason, { errors });
}
