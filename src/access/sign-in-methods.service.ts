import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { forbidden, notFound } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { lastSignInMethod } from './access.error.js';
import { Member } from './member.entity.js';
import { lockMember } from './members.sql.js';
import { Passkey } from './passkey.entity.js';
import { Identity } from './identity.entity.js';
import { requireMember, requireFresh } from './sessions.service.js';
import type { Tenant } from './tenant.entity.js';
import type { MemberSignInMethods } from './member-sign-in-methods.js';
import { countSignInMethods } from './sign-in-methods.sql.js';

/** The password was correct, but a second factor is required. */
export interface PendingSecondFactor {
  tenantId: string;
  memberId: string;
}

/** The sign-in methods of a member, without their secrets. */
@Injectable()
export class SignInMethodsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
  ) {}

  /** The caller's own or, with the permission "members:manage", those of any member. */
  async get(principal: Principal, memberId = requireMember(principal).memberId): Promise<MemberSignInMethods> {
    if (memberId !== principal.memberId && !principal.permissions.has('members:manage'))
      throw forbidden('This needs the permission "members:manage".');
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const member = await tx.findOneBy(Member, { tenantId, id: memberId });
      if (!member) throw notFound('There is no such member.');
      return {
        memberId,
        hasPassword: await tx.existsBy(Member, { tenantId, id: memberId, passwordHash: Not(IsNull()) }),
        wantsSecondFactor: member.wantsSecondFactor,
        passkeys: await tx.find(Passkey, { where: { tenantId, memberId }, order: { id: 'asc' } }),
        identities: await tx.find(Identity, { where: { tenantId, memberId }, order: { id: 'asc' } }),
      };
    });
  }

  /** Whether the caller needs a passkey after their password. */
  async setSecondFactorPreference(principal: Principal, isWanted: boolean): Promise<MemberSignInMethods> {
    const { tenantId, memberId } = requireFresh(principal);
    await this.database.tenant(principal, async (tx) => {
      await tx.update(Member, { tenantId, id: memberId }, { wantsSecondFactor: isWanted });
      await this.audit.record(tx, principal, {
        kind: isWanted ? 'member.second_factor_wanted' : 'member.second_factor_waived',
        subject: { type: 'member', id: memberId, name: principal.name },
      });
    });
    return this.get(principal);
  }

  /** The caller then signs in with a passkey or a provider. */
  async removePassword(principal: Principal): Promise<MemberSignInMethods> {
    const { tenantId, memberId } = requireFresh(principal);
    await this.database.tenant(principal, async (tx) => {
      await this.lock(tx, principal, memberId);
      await tx.update(Member, { tenantId, id: memberId }, { passwordHash: null });
      await this.requireRemaining(tx, principal, memberId);
      await this.audit.record(tx, principal, {
        kind: 'password.removed',
        subject: { type: 'member', id: memberId, name: principal.name },
      });
    });
    return this.get(principal);
  }

  /**
   * Called after the password was verified. Required if the organization or the member demands it and the member has a
   * passkey.
   */
  async findRequiredSecondFactor(
    { id: tenantId, requiresSecondFactor }: Pick<Tenant, 'id' | 'requiresSecondFactor'>,
    { id: memberId, wantsSecondFactor }: Pick<Member, 'id' | 'wantsSecondFactor'>,
  ): Promise<PendingSecondFactor | null> {
    if (!requiresSecondFactor && !wantsSecondFactor) return null;
    const hasPasskey = await this.database.tenant({ tenantId }, (tx) => tx.existsBy(Passkey, { tenantId, memberId }));
    return hasPasskey ? { tenantId, memberId } : null;
  }

  /** For lost devices, through a link created by an administrator. */
  async removePasskeys(tx: Tx, { tenantId }: Principal, memberId: string): Promise<number> {
    return (await tx.delete(Passkey, { tenantId, memberId })).affected ?? 0;
  }

  /** For a member who is removed. */
  async removeAll(tx: Tx, principal: Principal, memberId: string): Promise<void> {
    await this.removePasskeys(tx, principal, memberId);
    await tx.delete(Identity, { tenantId: principal.tenantId, memberId });
  }

  /** Call before removing a method: serializes concurrent removals. */
  async lock(tx: Tx, { tenantId }: Principal, memberId: string): Promise<void> {
    await tx.execute(lockMember, [tenantId, memberId]);
  }

  /** Call after removing a method, in the same transaction. */
  async requireRemaining(tx: Tx, { tenantId }: Principal, memberId: string): Promise<void> {
    const [{ count }] = await tx.run(countSignInMethods, [tenantId, memberId]);
    if (!count) throw lastSignInMethod('This is your last sign-in method. Add another one first.');
  }
}
