import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { conflict } from '../../platform/errors/general.error.js';
import type { Principal } from '../../principal/principal.js';
import { confirmationNotIndependent } from '../access.error.js';
import { requireFresh, requireSession } from '../sessions.service.js';
import { lockTenant } from '../tenants.sql.js';
import { AccessChangeNotifier } from './access-change-notifier.service.js';
import { IndependenceService } from './independence.service.js';
import { IntroducedReviewers } from './introduced-reviewers.entity.js';

/** Whether members may review calls of the only person who introduced them. Enabling it takes two administrators. */
@Injectable()
export class IntroducedReviewersService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly independence: IndependenceService,
    private readonly changes: AccessChangeNotifier,
  ) {}

  find({ tenantId }: { tenantId: string }): Promise<IntroducedReviewers | null> {
    return this.database.tenant({ tenantId }, (tx) => tx.findOneBy(IntroducedReviewers, { tenantId }));
  }

  async isInEffect(tx: Tx, tenantId: string): Promise<boolean> {
    return (await tx.findOneBy(IntroducedReviewers, { tenantId }))?.confirmedBy != null;
  }

  async propose(principal: Principal): Promise<IntroducedReviewers> {
    const { tenantId, memberId } = requireFresh(principal);
    return this.database.tenant(principal, async (tx) => {
      const present = await this.findForUpdate(tx, tenantId);
      if (present) return present;
      const proposed = { tenantId, proposedBy: memberId, proposedAt: new Date(), confirmedBy: null, confirmedAt: null };
      await tx.insert(IntroducedReviewers, proposed);
      await this.record(tx, principal, 'introduced_reviewers.proposed');
      return tx.create(IntroducedReviewers, proposed);
    });
  }

  /** The administrator must not be the proposer's second account, and no one person may have introduced both. */
  async confirm(principal: Principal): Promise<IntroducedReviewers> {
    const { tenantId, memberId } = requireFresh(principal);
    return this.database.tenant(principal, async (tx) => {
      const proposed = await this.findForUpdate(tx, tenantId);
      if (!proposed) throw conflict('This setting has not been proposed.');
      if (proposed.confirmedBy) return proposed;
      const { proposedBy } = proposed;
      const independence = await this.independence.load(tx, tenantId, [memberId, proposedBy]);
      const isIndependent =
        independence.isIndependent(memberId, independence.requesters([proposedBy])) &&
        independence.isIndependent(proposedBy, independence.requesters([memberId]));
      if (!isIndependent)
        throw confirmationNotIndependent(
          'You proposed this setting, one of you introduced the other, or the same person introduced both of you.',
        );
      const confirmed = { confirmedBy: memberId, confirmedAt: new Date() };
      await tx.update(IntroducedReviewers, { tenantId }, confirmed);
      await this.record(tx, principal, 'introduced_reviewers.confirmed', { proposedBy });
      return Object.assign(proposed, confirmed);
    });
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

  private async findForUpdate(tx: Tx, tenantId: string): Promise<IntroducedReviewers | null> {
    await tx.execute(lockTenant, [tenantId]);
    return tx.findOneBy(IntroducedReviewers, { tenantId });
  }

  private record(tx: Tx, principal: Principal, kind: string, detail: Record<string, unknown> = {}): Promise<void> {
    const { tenantId: id } = principal;
    return this.audit.record(tx, principal, { kind, subject: { type: 'tenant', id }, detail });
  }
}
