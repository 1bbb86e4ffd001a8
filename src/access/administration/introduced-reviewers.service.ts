import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { conflict } from '../../platform/errors/general.error.js';
import type { Principal } from '../../principal/principal.js';
import { AccessChangeNotifier } from '../independence/access-change-notifier.service.js';
import { requireFresh, requireSession } from '../sessions.service.js';
import { lockTenant } from '../tenants.sql.js';
import { AdministrationService } from './administration.service.js';
import { authorsOf } from './administration-change.port.js';
import { IntroducedReviewers } from './introduced-reviewers.entity.js';

/** Whether members may review calls of the only person who introduced them. Enabling it takes two administrators. */
@Injectable()
export class IntroducedReviewersService {
  private readonly enable: (principal: Principal, input: object) => Promise<IntroducedReviewers>;

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly changes: AccessChangeNotifier,
    administration: AdministrationService,
  ) {
    this.enable = administration.register({
      kind: 'introduced_reviewers.enable',
      permission: 'organization:manage',
      isAlwaysProposed: true,
      describe: async (tx, { tenantId }) => {
        if (await this.isInEffect(tx, tenantId)) throw conflict('This setting is already in effect.');
        return {
          areas: [],
          title: 'Allow reviews by introduced members',
          subject: { type: 'tenant', id: tenantId },
          fields: [{ label: 'Reviews by introduced members', before: 'Off', after: 'On' }],
        };
      },
      apply: (tx, principal) => this.enableIn(tx, principal),
    });
  }

  /** Null: off. */
  find({ tenantId }: { tenantId: string }): Promise<IntroducedReviewers | null> {
    return this.database.tenant({ tenantId }, (tx) => tx.findOneBy(IntroducedReviewers, { tenantId }));
  }

  isInEffect(tx: Tx, tenantId: string): Promise<boolean> {
    return tx.existsBy(IntroducedReviewers, { tenantId });
  }

  /** Throws `change-proposed`: it takes effect when another administrator confirms it. */
  async propose(principal: Principal): Promise<IntroducedReviewers> {
    requireFresh(principal);
    return this.enable(principal, {});
  }

  /** One administrator is enough to make the rule stricter again. Returns false if there was nothing to withdraw. */
  async withdraw(principal: Principal): Promise<boolean> {
    const { tenantId } = requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const { affected } = await tx.delete(IntroducedReviewers, { tenantId });
      if (!affected) return false;
      await this.record(tx, principal, 'introduced_reviewers.withdrawn');
      await this.changes.publish(tx, tenantId);
      return true;
    });
  }

  private async enableIn(tx: Tx, principal: Principal): Promise<IntroducedReviewers> {
    const { tenantId } = principal;
    await tx.execute(lockTenant, [tenantId]);
    const [proposedBy, confirmedBy] = authorsOf(principal);
    const at = new Date();
    const row = tx.create(IntroducedReviewers, { tenantId, proposedBy, proposedAt: at, confirmedBy, confirmedAt: at });
    await tx.upsert(IntroducedReviewers, row, ['tenantId']);
    await this.record(tx, principal, 'introduced_reviewers.confirmed', { proposedBy });
    return row;
  }

  private record(tx: Tx, principal: Principal, kind: string, detail: Record<string, unknown> = {}): Promise<void> {
    const { tenantId: id } = principal;
    return this.audit.record(tx, principal, { kind, subject: { type: 'tenant', id }, detail });
  }
}
