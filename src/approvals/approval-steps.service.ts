import { Injectable } from '@nestjs/common';
import { GroupsService } from '../access/groups.service.js';
import { PasskeyAssertionsService } from '../access/passkeys/passkey-assertions.service.js';
import { requireFresh } from '../access/sessions.service.js';
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
    private readonly passkeyAssertions: PasskeyAssertionsService,
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
    await this.requirePossiblePasskey(tx, principal, input);
    if (input.allowsEdit && input.tier !== 'review')
      throw invalidRequest(
        'The person who edits a call cannot approve it, and a call that is confirmed has one approver.',
        {
          errors: [{ pointer: '/input/allowsEdit', detail: 'must be off in tier "confirm"' }],
        },
      );
    if (input.requiresPasskey && input.taskGrantMaxUses)
      throw invalidRequest('With a passkey, each call is approved by itself.', {
        errors: [{ pointer: '/input/taskGrantMaxUses', detail: 'must be omitted if a passkey is required' }],
      });
    return tx.create(ApprovalStep, {
      ...input,
      approverGroupId: input.approverGroupId ?? null,
      escalatesAfterSeconds: input.escalatesAfterSeconds ?? null,
      escalationGroupId: input.escalationGroupId ?? null,
      decidableInSlack: input.decidableInSlack ?? false,
      requiresPasskey: input.requiresPasskey ?? false,
      allowsEdit: input.allowsEdit ?? false,
      taskGrantMaxUses: input.taskGrantMaxUses ?? null,
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

  private async requirePossiblePasskey(tx: Tx, principal: Principal, input: SaveApprovalStepInput): Promise<void> {
    const { name, requiresPasskey, decidableInSlack } = input;
    if (requiresPasskey && decidableInSlack)
      throw invalidRequest('A step that requires a passkey is decided in the console.', {
        errors: [{ pointer: '/input/decidableInSlack', detail: 'must be off if a passkey is required' }],
      });
    if (requiresPasskey) this.passkeyAssertions.requireAvailable();
    // a session that somebody else took over must not lower the requirement
    else if ((await this.find(tx, principal.tenantId, name))?.requiresPasskey) requireFresh(principal);
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
      requiresPasskey: false,
      allowsEdit: false,
      taskGrantMaxUses: null,
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
