import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Approval } from '../approvals/approval.entity.js';
import { requireFresh } from '../access/sessions.service.js';
import { ApprovalOverridesService } from '../approvals/approval-overrides.service.js';
import type { ApprovalDecision, TaskGrantTerms } from '../approvals/approval-decision.port.js';
import { ApprovalPasskeysService } from '../approvals/approval-passkeys.service.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { JsonValue } from '../platform/json/strict-json.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import type { CallReview } from './call-review.entity.js';
import { openArguments } from './call-sealing.js';
import { type CallRevision, CallVersionsService } from './call-versions.service.js';
import { argumentsUnreadable, callNotFound, notAsShown } from './gate.error.js';
import { isGuessedSecret } from './guessed-secret.js';
import { ToolCall } from './tool-call.entity.js';

interface ReviewedCall {
  call: ToolCall;
  revisions: CallRevision[];
}

interface ShownHashes {
  argumentsHash?: string;
  definitionHash?: string;
}

/** A decision, and the hashes that the person saw. */
interface ShownDecision extends ShownHashes {
  /** Of the approval. */
  id: string;
  decision: ApprovalDecision;
}

interface ReviewDecision extends ShownDecision {
  reason?: string;
  passkeyResponse?: string;
  taskGrant?: TaskGrantTerms;
}

/** Shows approvers the calls that they decide on, and applies their decisions. */
@Injectable()
export class CallReviewsService {
  private readonly callLoader = new Batcher<{ tenantId: string; callId: string }, ReviewedCall | null>(
    (tenantId, keys) =>
      this.database.tenant({ tenantId }, async (tx) => {
        const calls = await tx.findBy(ToolCall, { tenantId, id: In(keys.map(({ callId }) => callId)) });
        const revisions = await this.callVersions.listOfEach(tx, calls);
        const byId = new Map(calls.map((call, nth) => [call.id, { call, revisions: revisions[nth] }]));
        return keys.map(({ callId }) => byId.get(callId) ?? null);
      }),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly approvals: ApprovalsService,
    private readonly callVersions: CallVersionsService,
    private readonly overrides: ApprovalOverridesService,
    private readonly seal: SealService,
    private readonly approvalPasskeys: ApprovalPasskeysService,
    private readonly log: LogService,
  ) {}

  /** For principals who can see the approval. */
  async get(principal: Principal, approvalId: string): Promise<CallReview> {
    return this.getOf(await this.approvals.get(principal, approvalId));
  }

  /** For decisions that need to have seen the call: nobody has seen arguments that cannot be decrypted. */
  async getReadable(principal: Principal, approvalId: string): Promise<CallReview> {
    const review = await this.get(principal, approvalId);
    if (this.findArguments(review) === null)
      throw argumentsUnreadable('The arguments of the call cannot be decrypted.');
    return review;
  }

  /** The caller has checked access to the approval. Batches the calls of a list into one query. */
  async getOf({ tenantId, callId }: Approval): Promise<CallReview> {
    const reviewed = await this.callLoader.submit({ tenantId, callId });
    if (!reviewed) throw callNotFound('No such call is visible to you.');
    const { call, revisions } = reviewed;
    const { seal } = this;
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
      // opened when they are read: a call that cannot be opened must not hide the later calls of its tool
      get arguments() {
        return openArguments(seal, call).canonical;
      },
      argumentsHash: call.argumentsHash!.toString('hex'),
      edits: revisions.map(({ changes, ...revision }) => ({
        ...revision,
        changes:
          changes?.map((change) => ({
            ...change,
            mayBeSecret: isGuessedSecret(change.pointer.slice(1).replaceAll('/', '.')),
          })) ?? null,
      })),
    };
  }

  /** Null: they cannot be decrypted. One such call must not hide the others of a list. */
  findArguments(review: CallReview): string | null {
    try {
      return review.arguments;
    } catch (error) {
      this.log.warn({ err: error, callId: review.callId }, 'arguments of a call could not be decrypted');
      return null;
    }
  }

  /** Whether the console would hide a value until the approver reveals it. */
  hasGuessedSecret({ arguments: text }: CallReview): boolean {
    return hasGuessedSecret(JSON.parse(text) as JsonValue);
  }

  /** Approves a call only with the hashes of the arguments and of the definition, which prove that the person saw both. */
  async decide(
    principal: Principal,
    { reason, passkeyResponse, taskGrant, ...decision }: ReviewDecision,
  ): Promise<Approval> {
    if (decision.decision === 'approve') await this.requireShown(principal, decision.id, decision);
    return this.approvals.decide(principal, decision.id, decision.decision, reason, { passkeyResponse, taskGrant });
  }

  /** The WebAuthn options for a decision that is signed with a passkey. */
  async requestPasskey(principal: Principal, { id, decision, ...shown }: ShownDecision) {
    if (decision === 'approve') await this.requireShown(principal, id, shown);
    return this.approvalPasskeys.request(principal, id, decision);
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
    const { argumentsHash, definitionHash } = await this.getReadable(principal, approvalId);
    if (shown.argumentsHash !== argumentsHash || shown.definitionHash !== definitionHash)
      throw notAsShown('Reveal the whole call, then approve with the hashes that were shown.');
  }
}

const hasGuessedSecret = (value: JsonValue, path = ''): boolean =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).some(([name, inner]) => hasGuessedSecret(inner, `${path}.${name}`))
    : isGuessedSecret(path);
