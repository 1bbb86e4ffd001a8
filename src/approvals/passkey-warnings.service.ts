import { Injectable } from '@nestjs/common';
import { PasskeyAssertionsService } from '../access/passkeys/passkey-assertions.service.js';
import { MembersService } from '../access/members.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { ApprovalStep } from './approval-step.entity.js';

/** Warns of steps that require a passkey which too few of their approvers have. */
@Injectable()
export class PasskeyWarningsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly members: MembersService,
    private readonly passkeyAssertions: PasskeyAssertionsService,
  ) {}

  async find(step: ApprovalStep): Promise<string | null> {
    const { tenantId, requiresPasskey, approverGroupId, escalatesAfterSeconds, escalationGroupId, quorum } = step;
    if (!requiresPasskey) return null;
    const groups = escalatesAfterSeconds === null ? [approverGroupId] : [approverGroupId, escalationGroupId];
    return this.database.tenant({ tenantId }, async (tx) => {
      const approvers = new Set<string>();
      for (const groupId of groups)
        for (const { id } of await this.members.listApprovers(tx, tenantId, groupId)) approvers.add(id);
      const passkeys = await this.passkeyAssertions.listOf(tx, tenantId, [...approvers]);
      const holderCount = new Set(passkeys.map(({ memberId }) => memberId)).size;
      return holderCount < quorum ? warning(step, holderCount, approvers.size) : null;
    });
  }
}

function warning({ tier, quorum }: ApprovalStep, holderCount: number, approverCount: number): string {
  const holders = holderCount === 0 ? 'None' : String(holderCount);
  const consequence =
    tier === 'confirm'
      ? 'Calls of agents that need this step are denied. People can confirm their own calls if they have a passkey.'
      : 'Calls that need this step are denied.';
  return `${holders} of the ${approverCount} approvers ${holderCount === 1 ? 'has' : 'have'} a passkey; this step needs ${quorum}. ${consequence} Approvers add passkeys on their account page.`;
}
