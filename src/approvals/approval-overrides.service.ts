import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { requireFresh, requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { notFound } from '../platform/errors/general.error.js';
import { OutboxService } from '../platform/events/outbox.service.js';
import type { Principal } from '../principal/principal.js';
import { requireReason } from './approval-decision.port.js';
import { ApprovalOverride } from './approval-override.entity.js';
import { ApprovalVisibilityService } from './approval-visibility.service.js';
import { Approval } from './approval.entity.js';
import { ApprovalsService } from './approvals.service.js';
import { overrideRefused, overrideReviewed, reviewRefused } from './break-glass.error.js';
import { OverrideEligibilityService } from './override-eligibility.service.js';

/** Bounds the list of open reviews. */
const maxOpenReviews = 100;

/** Overrides pending approvals, and records the review that every override needs. */
@Injectable()
export class ApprovalOverridesService {
  private readonly overrideLoader = new Batcher<{ tenantId: string; approvalId: string }, ApprovalOverride | null>(
    (tenantId, keys) =>
      this.database.tenant({ tenantId }, async (tx) => {
        const ids = keys.map(({ approvalId }) => approvalId);
        const found = await tx.findBy(ApprovalOverride, { tenantId, approvalId: In(ids) });
        const byId = new Map(found.map((override) => [override.approvalId, override]));
        return ids.map((id) => byId.get(id) ?? null);
      }),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly outbox: OutboxService,
    private readonly approvals: ApprovalsService,
    private readonly approvalVisibility: ApprovalVisibilityService,
    private readonly eligibility: OverrideEligibilityService,
  ) {}

  /** Approves a pending step in place of its approvers. Everything else is checked as for any approval. */
  async override(principal: Principal, id: string, reason: string): Promise<Approval> {
    const { tenantId, memberId } = requireFresh(principal);
    const text = requireReason(reason);
    return this.approvals.override(principal, id, {
      authorize: async (tx, approval) => {
        const refusal = await this.eligibility.findRefusal(tx, approval, memberId);
        if (refusal) throw overrideRefused(refusal);
      },
      record: async (tx, approval) => {
        const row = { tenantId, approvalId: approval.id, memberId, reason: text, at: new Date() };
        await tx.insert(ApprovalOverride, { ...row, reviewedBy: null, reviewedAt: null, reviewNote: null });
        await this.outbox.write(tx, tenantId, 'approval.overridden', { approvalId: approval.id });
      },
      reason: text,
    });
  }

  /** For each approval, in their order: whether the person could override it now, after confirming their identity. */
  async canOverrideEach(principal: Principal, approvals: readonly Approval[]): Promise<boolean[]> {
    const { memberId } = requireSession(principal);
    const isPending = ({ state, expiresAt }: Approval) => state === 'pending' && expiresAt > new Date();
    const pending = approvals.filter(isPending);
    if (!pending.length) return approvals.map(() => false);
    const refusals = await this.database.tenant(principal, (tx) =>
      this.eligibility.findRefusals(tx, pending, memberId),
    );
    const possible = new Set(pending.filter((_, nth) => refusals[nth] === null).map(({ id }) => id));
    return approvals.map(({ id }) => possible.has(id));
  }

  async find({ tenantId, id, overriddenBy }: Approval): Promise<ApprovalOverride | null> {
    return overriddenBy === null ? null : this.overrideLoader.submit({ tenantId, approvalId: id });
  }

  /** The overrides whose review is open and which the person can see, oldest first. */
  listOpen(principal: Principal): Promise<Approval[]> {
    requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const query = await this.approvalVisibility.query(tx, principal);
      return query
        .innerJoin(
          ApprovalOverride,
          'override',
          'override.tenantId = approval.tenantId and override.approvalId = approval.id and override.reviewedAt is null',
        )
        .orderBy('override.at', 'ASC')
        .limit(maxOpenReviews)
        .getMany();
    });
  }

  /** For each override, in their order: why the person cannot review it, or null. */
  reviewRefusals(principal: Principal, overrides: readonly ApprovalOverride[]): Promise<(string | null)[]> {
    return this.database.tenant(principal, (tx) => this.reviewRefusalsIn(tx, principal, overrides));
  }

  async review(principal: Principal, approvalId: string, note: string): Promise<Approval> {
    const { tenantId, memberId } = requireSession(principal);
    const reviewNote = requireReason(note);
    return this.database.tenant(principal, async (tx) => {
      const approval = await this.approvalVisibility.get(tx, principal, approvalId);
      const override = await tx.findOne(ApprovalOverride, {
        where: { tenantId, approvalId },
        lock: { mode: 'pessimistic_write' },
      });
      if (!override) throw notFound('This approval was not overridden.');
      if (override.reviewedAt) throw overrideReviewed('Another member has reviewed this override.');
      const [refusal] = await this.reviewRefusalsIn(tx, principal, [override]);
      if (refusal) throw reviewRefused(refusal);
      const review = { reviewedBy: memberId, reviewedAt: new Date(), reviewNote };
      await tx.update(ApprovalOverride, { tenantId, approvalId, reviewedAt: IsNull() }, review);
      await this.audit.record(tx, principal, {
        kind: 'approval.override_reviewed',
        subject: { type: 'approval', id: approvalId, name: approval.tool },
        detail: { callId: approval.callId, taskId: approval.taskId, overriddenBy: override.memberId, note: reviewNote },
      });
      return approval;
    });
  }

  private async reviewRefusalsIn(
    tx: Tx,
    principal: Principal,
    overrides: readonly ApprovalOverride[],
  ): Promise<(string | null)[]> {
    const { tenantId, memberId, permissions } = requireSession(principal);
    const approvals = await tx.findBy(Approval, { tenantId, id: In(overrides.map(({ approvalId }) => approvalId)) });
    const byId = new Map(approvals.map((approval) => [approval.id, approval]));
    const overridden = overrides.map((override) => ({ override, approval: byId.get(override.approvalId)! }));
    const isAdministrator = permissions.has('organization:manage');
    return this.eligibility.findReviewRefusals(tx, overridden, { memberId, isAdministrator });
  }
}
