import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../principal/principal.js';
import { selectVisibility } from './views/views.sql.js';

/** Access to individual usage. Totals of groups only require `spend:read`. */
export interface PeopleVisibility {
  /** `all` includes unmatched identities. A list grants access to the people of these groups only. */
  individuals: 'none' | 'all' | readonly string[];
  /**
   * People and identities are shown by `pseudonym` and `pseudonym_id` instead of name, email address and id, and must
   * not be searchable by those.
   */
  pseudonyms: boolean;
}

/** Decides whose individual usage a principal may see: an analyst sees the groups that an administrator granted. */
@Injectable()
export class PeopleVisibilityService {
  constructor(private readonly audit: AuditService) {}

  async resolve(principal: Principal, tx: Tx): Promise<PeopleVisibility> {
    const { tenantId, memberId = null, permissions } = principal;
    const [{ views, pseudonyms }] = await tx.run(selectVisibility, [
      tenantId,
      permissions.has('spend:people') ? memberId : null,
    ]);
    const individuals = views.includes(null) ? 'all' : views.length ? (views as string[]) : 'none';
    return { individuals, pseudonyms };
  }

  /** Call once per request that shows individuals, in its transaction. `detail`: report, days and filters. */
  recordRead(tx: Tx, principal: Principal, detail: Record<string, unknown>): Promise<void> {
    return this.audit.record(tx, principal, { kind: 'spend.people_read', detail });
  }
}
