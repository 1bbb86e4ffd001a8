import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Approval } from '../approvals/approval.entity.js';
import { requireFresh } from '../access/sessions.service.js';
import { ApprovalOverridesService } from '../approvals/approval-overrides.service.js';
import type { ApprovalDecision } from '../approvals/approval-decision.port.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { JsonValue } from '../platform/json/strict-json.js';
import type { Principal } from '../principal/principal.js';
import type { CallReview } from './call-review.entity.js';
import { openArguments } from './call-sealing.js';
import { callNotFound, notAsShown } from './gate.error.js';
import { isGuessedSecret } from './guessed-secret.js';
import { ToolCall } from './tool-call.entity.js';

interface ShownHashes {
  argumentsHash?: string;
  definitionHash?: string;
}

interface ReviewDecision extends ShownHashes {
  /** Of the approval. */
  id: string;
  decision: ApprovalDecision;
  reason?: string;
}

/** Shows approvers the calls that they decide on, and applies their decisions. */
@Injectable()
export class CallReviewsService {
  private readonly callLoader = new Batcher<{ tenantId: string; callId: string }, ToolCall | null>((tenantId, keys) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const calls = await tx.findBy(ToolCall, { tenantId, id: In(keys.map(({ callId }) => callId)) });
      const byId = new Map(calls.map((call) => [call.id, call]));
      return keys.map(({ callId }) => byId.get(callId) ?? null);
    }),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly approvals: ApprovalsService,
    private readonly overrides: ApprovalOverridesService,
    private readonly seal: SealService,
  ) {}

  /** For principals who can see the approval. */
  async get(principal: Principal, approvalId: string): Promise<CallReview> {
    return this.getOf(await this.approvals.get(principal, approvalId));
  }

  /** The caller has checked access to the approval. Batches the calls of a list into one query. */
  async getOf({ tenantId, callId }: Approval): Promise<CallReview> {
    const call = await this.callLoader.submit({ tenantId, callId });
    if (!call) throw callNotFound('No such call is visible to you.');
    const { configurationId, connectionId, tool, effect, caller, tainted, policyIds, policyRevision, state, reason } =
      call;
    return {
      callId,
      configurationId,
      connectionId,
      tool,
      effect,
      caller,
      tainted,
      policyIds,
      policyRevision,
      state,
      reason,
      ...call.definition!,
      definitionHash: call.definitionHash!,
      arguments: openArguments(this.seal, call).canonical,
      argumentsHash: call.argumentsHash!.toString('hex'),
    };
  }

  /** Whether the console would hide a value until the approver reveals it. */
  hasGuessedSecret({ arguments: text }: CallReview): boolean {
    return hasGuessedSecret(JSON.parse(text) as JsonValue);
  }

  /** Approves a call only with the hashes of the arguments and of the definition, which prove that the person saw both. */
  async decide(principal: Principal, { id, decision, reason, ...shown }: ReviewDecision): Promise<Approval> {
    if (decision === 'approve') await this.requireShown(principal, id, shown);
    return this.approvals.decide(principal, id, decision, reason);
  }

  /** The member who overrides an approval has to see the same as its approvers. */
  async override(
    principal: Principal,
    { id, reason, ...shown }: ShownHashes & { id: string; reason: string },
  ): Promise<Approval> {
    requireFresh(principal);
    await this.requireShown(principal, id, shown);
    return this.overrides.override(principal, id, reason);
  }

  private async requireShown(principal: Principal, approvalId: string, shown: ShownHashes): Promise<void> {
    const { argumentsHash, definitionHash } = await this.get(principal, approvalId);
    if (shown.argumentsHash !== argumentsHash || shown.definitionHash !== definitionHash)
      throw notAsShown('Reveal the whole call, then approve with the hashes that were shown.');
  }
}

const hasGuessedSecret = (value: JsonValue, path = ''): boolean =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).some(([name, inner]) => hasGuessedSecret(inner, `${path}.${name}`))
    : isGuessedSecret(path);
