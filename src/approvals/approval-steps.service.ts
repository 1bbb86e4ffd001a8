import { Injectable } from '@nestjs/common';
import { GroupsService } from '../access/groups.service.js';
import { AuditService } from '../audit/audit.service.js';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { ApprovalStep, type Tier } from './approval-step.entity.js';
import type { SaveApprovalStepInput } from './approval-step.input.js';

const defaultTiers: Record<string, Tier> = { review: 'review', confirm: 'confirm' };

/**
 * The approval steps that policies refer to. `review` and `confirm` are built in; saving a step of that name replaces
 * it.
 */
@Injectable()
export class ApprovalStepsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly groups: GroupsService,
    private readonly config: Config,
  ) {}

  list(principal: Principal): Promise<ApprovalStep[]> {
    return this.database.tenant(principal, async (tx) => this.listIn(tx, principal.tenantId));
  }

  async listIn(tx: Tx, tenantId: string): Promise<ApprovalStep[]> {
    const saved = await tx.find(ApprovalStep, { where: { tenantId }, order: { name: 'ASC' } });
    const untouched = Object.keys(defaultTiers).filter((name) => !saved.some((step) => step.name === name));
    return [...untouched.map((name) => this.defaultStep(tenantId, name)), ...saved];
  }

  async find(tx: Tx, tenantId: string, name: string): Promise<ApprovalStep | null> {
    const saved = await tx.findOneBy(ApprovalStep, { tenantId, name });
    return saved ?? (Object.hasOwn(defaultTiers, name) ? this.defaultStep(tenantId, name) : null);
  }

  /** The step as it would be saved. */
  async validate(tx: Tx, principal: Principal, input: SaveApprovalStepInput): Promise<ApprovalStep> {
    const { tenantId } = principal;
    if (input.approverGroupId) await this.groups.get(principal, input.approverGroupId, tx);
    if (input.escalationGroupId) await this.groups.get(principal, input.escalationGroupId, tx);
    requirePossibleEscalation(input);
    if (input.tier === 'confirm' && input.quorum > 1)
      throw invalidRequest('A call that is confirmed needs one approval.', {
        errors: [{ pointer: '/input/quorum', detail: 'must be 1 in tier "confirm"' }],
      });
    if (input.decidableInSlack && input.quorum > 1)
      throw invalidRequest('A step that several members approve is decided in the console.', {
        errors: [{ pointer: '/input/decidableInSlack', detail: 'must be off if more than one approval is needed' }],
      });
    return tx.create(ApprovalStep, {
      ...input,
      approverGroupId: input.approverGroupId ?? null,
      escalatesAfterSeconds: input.escalatesAfterSeconds ?? null,
      escalationGroupId: input.escalationGroupId ?? null,
      decidableInSlack: input.decidableInSlack ?? false,
      tenantId,
      changedAt: new Date(),
    });
  }

  async save(tx: Tx, principal: Principal, input: SaveApprovalStepInput): Promise<ApprovalStep> {
    const step = await this.validate(tx, principal, input);
    await tx.upsert(ApprovalStep, step, ['tenantId', 'name']);
    const { name, ...detail } = input;
    await this.audit.record(tx, principal, {
      kind: 'approval-step.saved',
      subject: { type: 'approval-step', id: name, name },
      detail,
    });
    return step;
  }

  private defaultStep(tenantId: string, name: string): ApprovalStep {
    const expiresAfterSeconds = this.config.approvalSeconds;
    return Object.assign(new ApprovalStep(), {
      tenantId,
      name,
      tier: defaultTiers[name],
      approverGroupId: null,
      quorum: 1,
      position: 1,
      escalatesAfterSeconds: null,
      escalationGroupId: null,
      decidableInSlack: false,
      expiresAfterSeconds,
      changedAt: null,
    });
  }
}

function requirePossibleEscalation(input: SaveApprovalStepInput): void {
  const { tier, escalatesAfterSeconds, escalationGroupId, expiresAfterSeconds } = input;
  const detail =
    escalatesAfterSeconds == null
      ? escalationGroupId && 'is required with an escalation group'
      : tier === 'confirm'
        ? 'must be empty in tier "confirm"'
        : escalatesAfterSeconds >= expiresAfterSeconds && 'must be less than the time after which a call is denied';
  if (detail)
    throw invalidRequest('The escalation group would never be added.', {
      errors: [{ pointer: '/input/escalatesAfterSeconds', detail }],
    });
}
