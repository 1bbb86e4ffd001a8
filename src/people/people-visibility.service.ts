import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../principal/principal.js';
import { unmaskedIds, MaskedIds } from './masked-ids.port.js';
import { selectVisibility } from './views/views.sql.js';

/** Access to individual usage. Totals of groups only require `spend:read`. */
export interface PeopleVisibility {
  /** `all` includes unmatched identities. A list grants access to the people of these groups only. */
  individuals: 'none' | 'all' | readonly string[];
  /** People are shown by `pseudonym` instead of name and email address, and must not be searchable by those. */
  pseudonyms: boolean;
  /** Masks the ids in responses if pseudonyms are shown. */
  ids: MaskedIds;
}

/** Decides whose individual usage a principal may see: an analyst sees the groups that an administrator granted. */
@Injectable()
export class PeopleVisibilityService {
  constructor(private readonly audit: AuditService) {}

  async resolve(principal: Principal, tx: Tx): Promise<PeopleVisibility> {
    const { tenantId, memberId = null, permissions } = principal;
    const [{ views, key }] = await tx.run(selectVisibility, [
      tenantId,
      permissions.has('spend:people') ? memberId : null,
    ]);
    const individuals = views.includes(null) ? 'all' : views.length ? (views as string[]) : 'none';
    return { individuals, pseudonyms: key !== null, ids: key ? new MaskedIds(key) : unmaskedIds };
  }

  /** Call once per request that shows individuals, in its transaction. `detail`: report, days and filters. */
  recordRead(tx: Tx, principal: Principal, detail: Record<string, unknown>): Promise<void> {
    return this.audit.record(tx, principal, { kind: 'spend.people_read', detail });
  }
}
