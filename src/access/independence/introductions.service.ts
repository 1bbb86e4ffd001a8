import { Injectable } from '@nestjs/common';
import { newId } from '../../platform/crypto/ids.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { AccessChangeNotifier } from './access-change-notifier.service.js';
import type { IntroductionKind } from './independence.js';
import {
  insertIntroduction,
  insertProviderChange,
  insertStatusChange,
  type MemberStatusChange,
} from './independence.sql.js';

interface NewIntroduction {
  tenantId: string;
  memberId: string;
  kind: Exclude<IntroductionKind, 'provider'>;
  /** Null: the operator of the server, who is not a member and so creates no dependency. */
  by: string | null;
  /** When the link was created; defaults to now. */
  madeAt?: Date;
}

/** Records permanently who could have gained access to an account. */
@Injectable()
export class IntroductionsService {
  constructor(private readonly changes: AccessChangeNotifier) {}

  async record(tx: Tx, { tenantId, memberId, kind, by, madeAt }: NewIntroduction): Promise<void> {
    if (by !== null && by !== memberId)
      await tx.execute(insertIntroduction, [tenantId, newId(), memberId, kind, by, null, madeAt ?? null]);
    await this.changes.publish(tx, tenantId);
  }

  /** The member can sign in through the provider of this issuer. So could those who configured it. */
  async recordIdentity(
    tx: Tx,
    { tenantId, memberId, issuer }: { tenantId: string; memberId: string; issuer: string },
  ): Promise<void> {
    await tx.execute(insertIntroduction, [tenantId, newId(), memberId, 'provider', null, issuer, null]);
    await this.changes.publish(tx, tenantId);
  }

  async recordProvider(
    tx: Tx,
    { tenantId, memberId, issuer }: { tenantId: string; memberId: string; issuer: string },
  ): Promise<void> {
    await tx.execute(insertProviderChange, [tenantId, newId(), issuer, memberId]);
    await this.changes.publish(tx, tenantId);
  }

  /** A person who reactivates a member may know how to sign in as that member. */
  async recordStatus(
    tx: Tx,
    { tenantId, memberId: actor }: Principal,
    memberId: string,
    change: MemberStatusChange,
  ): Promise<void> {
    const by = actor ?? null;
    await tx.execute(insertStatusChange, [tenantId, newId(), memberId, change, by]);
    if (change === 'reactivated') await this.record(tx, { tenantId, memberId, kind: 'reactivation', by });
    else await this.changes.publish(tx, tenantId);
  }
}
