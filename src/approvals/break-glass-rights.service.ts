import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type ChangeDescription, distinctNameOf } from '../access/administration/administration-change.port.js';
import { AdministrationService } from '../access/administration/administration.service.js';
import { RestoredRightsRegistry } from '../access/administration/restored-rights-registry.service.js';
import { MemberRemovalHookRegistry } from '../access/member-removal-hook-registry.service.js';
import { MembersService } from '../access/members.service.js';
import { requireFresh, requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { conflict, notFound } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { BreakGlassRight } from './break-glass-right.entity.js';

interface RightInput {
  memberId: string;
}

/** Which members may override pending approvals. Administrators grant the right to named members, never to themselves. */
@Injectable()
export class BreakGlassRightsService implements OnModuleInit {
  private readonly submitGrant: (principal: Principal, input: RightInput) => Promise<BreakGlassRight>;

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly members: MembersService,
    private readonly removalHooks: MemberRemovalHookRegistry,
    private readonly restoredRights: RestoredRightsRegistry,
    administration: AdministrationService,
  ) {
    this.submitGrant = administration.register<RightInput, BreakGlassRight>({
      kind: 'break_glass.grant',
      permission: 'members:manage',
      describe: (tx, principal, input) => this.describeGrant(tx, principal, input),
      apply: (tx, principal, input) => this.grantIn(tx, principal, input),
    });
  }

  onModuleInit(): void {
    this.removalHooks.register((tx, principal, memberId) =>
      this.revokeIn(tx, principal, memberId).then(() => undefined),
    );
    this.restoredRights.register(async (tx, { tenantId, id: memberId }) =>
      (await tx.existsBy(BreakGlassRight, { tenantId, memberId }))
        ? { area: 'break_glass', text: 'Override pending approvals' }
        : null,
    );
  }

  list(principal: Principal): Promise<BreakGlassRight[]> {
    const { tenantId } = requireSession(principal);
    return this.database.tenant(principal, (tx) =>
      tx.find(BreakGlassRight, { where: { tenantId }, order: { grantedAt: 'asc', memberId: 'asc' } }),
    );
  }

  async grant(principal: Principal, memberId: string): Promise<BreakGlassRight> {
    requireFresh(principal);
    refuseOwn(principal, memberId);
    return this.submitGrant(principal, { memberId });
  }

  /** One administrator is enough to make the rules stricter. Returns false if the member had no such right. */
  async revoke(principal: Principal, memberId: string): Promise<boolean> {
    requireSession(principal);
    return this.database.tenant(principal, (tx) => this.revokeIn(tx, principal, memberId));
  }

  private async describeGrant(
    tx: Tx,
    principal: Principal,
    { memberId }: RightInput,
  ): Promise<ChangeDescription | null> {
    const member = await this.members.get(principal, memberId, tx);
    const { name, status } = member;
    if (status !== 'active') throw notFound('There is no such active member.');
    if (await tx.existsBy(BreakGlassRight, { tenantId: principal.tenantId, memberId })) return null;
    return {
      areas: ['break_glass'],
      title: `Grant break-glass rights to ${name}`,
      subject: { type: 'member', id: memberId, name },
      fields: [
        { label: `Right of ${distinctNameOf(member)} to override pending approvals`, before: null, after: 'Granted' },
      ],
    };
  }

  private async grantIn(tx: Tx, principal: Principal, { memberId }: RightInput): Promise<BreakGlassRight> {
    const { tenantId } = principal;
    const { name, status } = await this.members.get(principal, memberId, tx);
    if (status !== 'active') throw notFound('There is no such active member.');
    const present = await tx.findOneBy(BreakGlassRight, { tenantId, memberId });
    if (present) return present;
    // the second administrator may be the member; then the first one granted the right
    const grantedBy = [principal.memberId, ...principal.chain.map(({ id }) => id)].find((id) => id && id !== memberId);
    if (!grantedBy) throw conflict('Ask another administrator to grant you break-glass rights.');
    const right = tx.create(BreakGlassRight, { tenantId, memberId, grantedBy, grantedAt: new Date() });
    await tx.insert(BreakGlassRight, right);
    await this.audit.record(tx, principal, {
      kind: 'break_glass.granted',
      subject: { type: 'member', id: memberId, name },
    });
    return right;
  }

  private async revokeIn(tx: Tx, principal: Principal, memberId: string): Promise<boolean> {
    const { tenantId } = principal;
    const { affected } = await tx.delete(BreakGlassRight, { tenantId, memberId });
    if (!affected) return false;
    const { name } = await this.members.get(principal, memberId, tx);
    await this.audit.record(tx, principal, {
      kind: 'break_glass.revoked',
      subject: { type: 'member', id: memberId, name },
    });
    return true;
  }
}

function refuseOwn({ memberId }: Principal, grantedTo: string): void {
  if (memberId === grantedTo) throw conflict('Ask another administrator to grant you break-glass rights.');
}
