import { Injectable } from '@nestjs/common';
import { PasskeyAssertionsService } from '../access/passkeys/passkey-assertions.service.js';
import { MembersService } from '../access/members.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import type { ApprovalStep } from './approval-step.entity.js';

/** Warns of steps that require a passkey which too few of their approvers have. */
@Injectable()
export class PasskeyWarningsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly members: MembersService,
    private readonly passkeyAssertions: PasskeyAssertionsService,
  ) {}

  /** In the order of the steps; null: none. */
  async findOfEach(principal: Principal, steps: readonly ApprovalStep[]): Promise<(string | null)[]> {
    const { tenantId } = principal;
    const groupIds = new Set(steps.flatMap((step) => (step.requiresPasskey ? groupsOf(step) : [])));
    if (!groupIds.size) return steps.map(() => null);
    return this.database.tenant(principal, async (tx) => {
      const approvers = new Map<string | null, string[]>();
      for (const groupId of groupIds)
        approvers.set(
          groupId,
          (await this.members.listApprovers(tx, tenantId, groupId)).map(({ id }) => id),
        );
      const passkeys = await this.passkeyAssertions.listOf(tx, tenantId, [...approvers.values()].flat());
      const holders = new Set(passkeys.map(({ memberId }) => memberId));
      return steps.map((step) => {
        if (!step.requiresPasskey) return null;
        const ids = [...new Set(groupsOf(step).flatMap((groupId) => approvers.get(groupId)!))];
        const holderCount = ids.filter((id) => holders.has(id)).length;
        return holderCount < step.quorum ? warning(step, holderCount, ids.length) : null;
      });
    });
  }
}

const groupsOf = ({ approverGroupId, escalatesAfterSeconds, escalationGroupId }: ApprovalStep) =>
  escalatesAfterSeconds === null ? [approverGroupId] : [approverGroupId, escalationGroupId];

function warning({ tier, quorum }: ApprovalStep, holderCount: number, approverCount: number): string {
  const consequence =
    tier === 'confirm'
      ? 'Calls of agents that need this step are denied; people can confirm their own calls with a passkey.'
      : 'Calls that need this step are denied.';
  return `Approvers with a passkey: ${holderCount} of ${approverCount}; needed: ${quorum}. ${consequence} Approvers add a passkey on their account page.`;
}
