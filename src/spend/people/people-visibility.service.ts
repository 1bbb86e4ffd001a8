import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import type { Principal } from '../../principal/principal.js';
import { unmaskedIds, MaskedIds } from './masked-ids.js';

/** What somebody may see of single people. Sums of groups are another matter: `spend:read`. */
export interface PeopleVisibility {
  /** `all`: those nobody was matched to as well. Otherwise only people of these groups. */
  individuals: 'none' | 'all' | readonly string[];
  /** Whether people go by `pseudonym` instead of name and address. Nobody may be searched for by these, then. */
  pseudonyms: boolean;
  /** By what people are numbered, then. */
  ids: MaskedIds;
}

/** Whose single figures somebody may see: of the groups that an administrator named for this analyst, and of nobody else. */
@Injectable()
export class PeopleVisibilityService {
  constructor(private readonly audit: AuditService) {}

  async resolve(principal: Principal, tx: EntityManager): Promise<PeopleVisibility> {
    const { tenantId, memberId = null, permissions } = principal;
    const [{ views, key }] = await tx.query<{ views: (string | null)[]; key: Buffer | null }[]>(selectVisibility, [
      tenantId,
      permissions.has('spend:people') ? memberId : null,
    ]);
    const individuals = views.includes(null) ? 'all' : views.length ? (views as string[]) : 'none';
    return { individuals, pseudonyms: key !== null, ids: key ? new MaskedIds(key) : unmaskedIds };
  }

  /** Once per request that shows single people, in its transaction. `detail` says which report, of when, narrowed to what. */
  recordRead(tx: EntityManager, principal: Principal, detail: Record<string, unknown>): Promise<void> {
    return this.audit.record(tx, principal, { kind: 'spend.people_read', detail });
  }
}

/** $1 tenant, $2 the analyst, or null for somebody who is none */
const selectVisibility = `
  select
    array(select unit_id::text from spend_views where tenant_id = $1 and member_id = $2 order by unit_id) as views,
    (select pseudonym_key from spend_settings where tenant_id = $1 and shows_pseudonyms) as key`;
