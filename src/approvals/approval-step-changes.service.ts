import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type ChangeDescription, differingFields } from '../access/administration/administration-change.port.js';
import { AdministrationService } from '../access/administration/administration.service.js';
import { ApproverGroupRegistry } from '../access/administration/approver-group-registry.service.js';
import { GroupsService } from '../access/groups.service.js';
import { requireSession } from '../access/sessions.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { ApprovalStep } from './approval-step.entity.js';
import type { SaveApprovalStepInput } from './approval-step.input.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { ApprovalsService } from './approvals.service.js';

/** Changes of approval steps by administrators, with their effect on pending approvals. */
@Injectable()
export class ApprovalStepChangesService implements OnModuleInit {
  private readonly submit: (principal: Principal, input: SaveApprovalStepInput) => Promise<ApprovalStep>;

  constructor(
    private readonly steps: ApprovalStepsService,
    private readonly approvals: ApprovalsService,
    private readonly groups: GroupsService,
    private readonly approverGroups: ApproverGroupRegistry,
    administration: AdministrationService,
  ) {
    this.submit = administration.register<SaveApprovalStepInput, ApprovalStep>({
      kind: 'approval_step.save',
      permission: 'policies:manage',
      describe: (tx, principal, input) => this.describe(tx, principal, input),
      apply: (tx, principal, input) => this.saveIn(tx, principal, input),
    });
  }

  onModuleInit(): void {
    this.approverGroups.register(
      async (tx, tenantId, groupId) =>
        await tx.existsBy(ApprovalStep, [
          { tenantId, approverGroupId: groupId },
          { tenantId, escalationGroupId: groupId },
        ]),
    );
  }

  async save(principal: Principal, input: SaveApprovalStepInput): Promise<ApprovalStep> {
    requireSession(principal);
    return this.submit(principal, input);
  }

  async saveIn(tx: Tx, principal: Principal, input: SaveApprovalStepInput): Promise<ApprovalStep> {
    const step = await this.steps.save(tx, principal, input);
    await this.approvals.revalidatePending(tx, principal, { stepName: step.name });
    return step;
  }

  private async describe(tx: Tx, principal: Principal, input: SaveApprovalStepInput): Promise<ChangeDescription> {
    const { tenantId } = principal;
    const before = await this.steps.find(tx, tenantId, input.name);
    const after = await this.steps.validate(tx, principal, input);
    const groupName = async (id: string | null) =>
      id ? (await this.groups.get(principal, id, tx)).name : 'Administrators';
    // until the group approves, one administrator can add anyone to it
    const groupText = async (id: string | null) =>
      id ? [await groupName(id), ...(await this.groups.describeMembers(tx, tenantId, id))].join('\n') : groupName(id);
    const textsOf = async (step: ApprovalStep) => ({
      'Decided by': step.tier === 'review' ? 'A member who did not request the call' : 'The acting person',
      'Approver group': await groupText(step.approverGroupId),
      'Approvals needed': String(step.quorum),
      Position: String(step.position),
      'Expires after': `${step.expiresAfterSeconds} seconds`,
      'Escalation group': step.escalatesAfterSeconds === null ? 'None' : await groupText(step.escalationGroupId),
      'Escalates after': step.escalatesAfterSeconds === null ? 'Never' : `${step.escalatesAfterSeconds} seconds`,
      'Decidable in Slack': step.decidableInSlack ? 'Yes' : 'No',
      'Requires a passkey': step.requiresPasskey ? 'Yes' : 'No',
      'Arguments can be edited': step.allowsEdit ? 'Yes' : 'No',
      'Further calls in the same task': step.taskGrantMaxUses === null ? 'None' : `Up to ${step.taskGrantMaxUses}`,
    });
    const old: Record<string, string> = before ? await textsOf(before) : {};
    const entries = Object.entries(await textsOf(after));
    const groupsOf = (step: ApprovalStep | null) => [
      step?.approverGroupId ?? null,
      step?.escalationGroupId ?? null,
      step?.escalatesAfterSeconds != null,
    ];
    const hasSameApprovers = isDeepStrictEqual(groupsOf(before), groupsOf(after));
    return {
      areas: ['approval_steps', ...(hasSameApprovers ? [] : (['approver_groups'] as const))],
      title: `${before ? 'Change' : 'Create'} the approval step "${input.name}"`,
      subject: { type: 'approval-step', id: input.name, name: input.name },
      fields: differingFields(entries.map(([label, text]) => [label, old[label] ?? null, text] as const)),
      basis: before?.changedAt?.toISOString() ?? 'not saved',
    };
  }
}
