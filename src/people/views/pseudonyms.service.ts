import { Injectable } from '@nestjs/common';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Principal } from '../../principal/principal.js';
import { lockPeople, regenerateIdentityPseudonyms, regeneratePseudonyms } from '../people-rows.sql.js';
import { selectPseudonymsShown, updatePseudonymsShown } from './views.sql.js';

/** Controls whether reports show names or random pseudonyms, which allow comparison without identifying people. */
@Injectable()
export class PseudonymsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
  ) {}

  areShown({ tenantId }: Principal): Promise<boolean> {
    return this.database.tenant({ tenantId }, async (tx) => {
      const settings = await tx.one(selectPseudonymsShown, [tenantId]);
      return settings?.shown ?? false;
    });
  }

  setShown(principal: Principal, isShown: boolean): Promise<boolean> {
    if (principal.kind !== 'system') requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const changed = await tx.execute(updatePseudonymsShown, [principal.tenantId, isShown]);
      if (changed) await this.audit.record(tx, principal, { kind: `spend_pseudonyms.${isShown ? 'shown' : 'lifted'}` });
      return isShown;
    });
  }

  /** Replaces all pseudonyms, so that noted old ones cannot be traced to people. Returns the number of people. */
  regenerate(principal: Principal): Promise<number> {
    if (principal.kind !== 'system') requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      await tx.execute(lockPeople, [principal.tenantId]);
      const people = await tx.execute(regeneratePseudonyms, [principal.tenantId]);
      await tx.execute(regenerateIdentityPseudonyms, [principal.tenantId]);
      await this.audit.record(tx, principal, { kind: 'spend_pseudonyms.renewed', detail: { people } });
      return people;
    });
  }
}
