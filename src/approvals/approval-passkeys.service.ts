import { Injectable } from '@nestjs/common';
import {
  type PasskeyAssertion,
  PasskeyAssertionsService,
  type ReceivedAssertion,
} from '../access/passkeys/passkey-assertions.service.js';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { catchProblem } from '../platform/errors/catch-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { canonicalJson } from '../platform/json/strict-json.js';
import type { Principal } from '../principal/principal.js';
import { ApprovalAssertion } from './approval-assertion.entity.js';
import { ApprovalCandidatesService } from './approval-candidates.service.js';
import type { ApprovalDecision } from './approval-decision.port.js';
import { ApprovalEligibilityService } from './approval-eligibility.service.js';
import { ApprovalVisibilityService } from './approval-visibility.service.js';
import type { Approval } from './approval.entity.js';
import {
  approvalDecided,
  approvalPasskeyRefused,
  approvalPasskeyRequired,
  notYoursToDecide,
} from './approvals.error.js';

/** What identifies the call that an approval is about. */
export interface CallHashes {
  argumentsHash: string;
  definitionHash: string;
}
export type CallHashesSource = (tx: Tx, approval: Approval) => Promise<CallHashes>;

/** What the audit event says about the passkey. The hash ties it to the stored evidence. */
export interface PasskeyUse {
  id: string;
  credentialId: string;
  isSynced: boolean;
  evidenceHash: string;
}

/** Decisions that are signed with a passkey: requests, verifies and stores the assertions. */
@Injectable()
export class ApprovalPasskeysService {
  private loadCallHashes: CallHashesSource = async () => {
    throw new Error('no source of call hashes');
  };

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly assertions: PasskeyAssertionsService,
    private readonly approvalVisibility: ApprovalVisibilityService,
    private readonly approvalEligibility: ApprovalEligibilityService,
    private readonly approvalCandidates: ApprovalCandidatesService,
  ) {}

  registerCallHashes(source: CallHashesSource): void {
    this.loadCallHashes = source;
  }

  /** The WebAuthn options with which the browser asks for the passkey. Decides nothing. */
  async request(principal: Principal, id: string, decision: ApprovalDecision) {
    const { memberId } = requireSession(principal);
    const { statement, passkeys } = await this.database.tenant(principal, async (tx) => {
      const approval = await this.approvalVisibility.get(tx, principal, id);
      if (approval.state !== 'pending') throw approvalDecided(`This approval is already ${approval.state}.`);
      const usable = approval.requiresPasskey
        ? await this.approvalEligibility.usablePasskeys(tx, approval, memberId)
        : [];
      if (!usable.length)
        throw approval.requiresPasskey
          ? notYoursToDecide(await this.approvalCandidates.explainIneligibility(tx, approval, memberId))
          : approvalPasskeyRefused('This step does not require a passkey.');
      return { statement: await this.statementOf(tx, approval, memberId, decision), passkeys: usable };
    });
    return this.assertions.request(principal, statement, passkeys);
  }

  /** `response`: of the browser, as JSON text. Its challenge cannot be used again. */
  async receive(principal: Principal, id: string, response: unknown): Promise<ReceivedAssertion> {
    // a refusal is recorded with the approval, so the person has to see it
    await this.database.tenant(principal, (tx) => this.approvalVisibility.get(tx, principal, id));
    return this.asApprovalProblem(this.assertions.receive(principal, response));
  }

  /** Throws `approval-passkey-required` or `approval-passkey-refused`. Null: the step requires no passkey. */
  async verify(
    tx: Tx,
    approval: Approval,
    memberId: string,
    decision: ApprovalDecision,
    received: ReceivedAssertion | null,
  ): Promise<PasskeyAssertion | null> {
    if (!approval.requiresPasskey) return null;
    if (!received) throw approvalPasskeyRequired('This step is decided with a passkey, on the page of the approval.');
    const passkeys = await this.approvalEligibility.usablePasskeys(tx, approval, memberId);
    const statement = await this.statementOf(tx, approval, memberId, decision);
    const { tenantId } = approval;
    return this.asApprovalProblem(
      this.assertions.verify(tx, { tenantId, memberId }, received, { statement, passkeys }),
    );
  }

  /** In the transaction that stores the vote. */
  async store(
    tx: Tx,
    { tenantId, id: approvalId }: Approval,
    decision: ApprovalDecision,
    assertion: PasskeyAssertion,
  ): Promise<PasskeyUse> {
    const evidence = { ...evidenceOf(assertion), approvalId, decision };
    await tx.insert(ApprovalAssertion, { ...evidence, tenantId, id: newId(), createdAt: new Date() });
    const { passkeyId: id, credentialId, isSynced } = evidence;
    return { id, credentialId, isSynced, evidenceHash: evidenceHash(evidence) };
  }

  /** After the transaction of a decision was rolled back. */
  async recordRefusal(principal: Principal, approvalId: string, refusal: Problem): Promise<void> {
    if (refusal.code !== approvalPasskeyRefused.code) return;
    await this.database.tenant(principal, (tx) =>
      this.audit.record(tx, principal, {
        kind: 'approval.passkey_refused',
        subject: { type: 'approval', id: approvalId },
        detail: { reason: refusal.message },
      }),
    );
    await this.assertions.recordCounter(principal.tenantId, refusal);
  }

  list(principal: Principal, approvalId: string): Promise<ApprovalAssertion[]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const { id } = await this.approvalVisibility.get(tx, principal, approvalId);
      return tx.find(ApprovalAssertion, {
        where: { tenantId, approvalId: id },
        order: { createdAt: 'ASC', id: 'ASC' },
      });
    });
  }

  private async statementOf(tx: Tx, approval: Approval, memberId: string, decision: ApprovalDecision): Promise<string> {
    const { tenantId, id: approvalId, stepName: step } = approval;
    const hashes = await this.loadCallHashes(tx, approval);
    return canonicalJson({ ...hashes, tenantId, memberId, approvalId, step, decision });
  }

  /** The code of sign-in would say that the session ended. */
  private async asApprovalProblem<T>(attempt: Promise<T>): Promise<T> {
    const result = await catchProblem(attempt);
    if (result instanceof Problem) throw approvalPasskeyRefused(result.message, { cause: result.cause });
    return result;
  }
}

/** The columns that come from the verified response. */
const evidenceOf = ({
  credentialId,
  publicKey,
  clientData,
  authenticatorData,
  signature,
  ...rest
}: PasskeyAssertion) => ({
  ...rest,
  credentialId: credentialId.toString('base64url'),
  publicKey: publicKey.toString('base64url'),
  clientData: clientData.toString('base64url'),
  authenticatorData: authenticatorData.toString('base64url'),
  signature: signature.toString('base64url'),
});

/** Also computed by auditors: see docs/audit.md. */
const evidenceHash = ({
  statement,
  credentialId,
  publicKey,
  clientData,
  authenticatorData,
  signature,
}: Pick<
  ApprovalAssertion,
  'statement' | 'credentialId' | 'publicKey' | 'clientData' | 'authenticatorData' | 'signature'
>): string =>
  sha256(canonicalJson({ statement, credentialId, publicKey, clientData, authenticatorData, signature })).toString(
    'hex',
  );
