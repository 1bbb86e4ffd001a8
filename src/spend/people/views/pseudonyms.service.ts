import { Injectable } from '@nestjs/common';
import { requireSession } from '../../../access/sessions.service.js';
import { AuditService } from '../../../audit/audit.service.js';
import { DatabaseService } from '../../../platform/database/database.service.js';
import type { Principal } from '../../../principal/principal.js';
import { lockPeople, newPseudonym } from '../people-rows.js';

/** Controls whether reports show names or random pseudonyms, which allow comparison without identifying people. */
@Injectable()
export class PseudonymsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
  ) {}

  areShown({ tenantId }: Principal): Promise<boolean> {
    return this.database.tenant({ tenantId }, async (tx) => {
      const rows = await tx.query<{ shown: boolean }[]>(selectPseudonymsShown, [tenantId]);
      return rows[0]?.shown ?? false;
    });
  }

  setShown(principal: Principal, isShown: boolean): Promise<boolean> {
    if (principal.kind !== 'system') requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const changed = await tx.query<unknown[]>(updatePseudonymsShown, [principal.tenantId, isShown]);
      if (changed.length)
        await this.audit.record(tx, principal, { kind: `spend_pseudonyms.${isShown ? 'shown' : 'lifted'}` });
      return isShown;
    });
  }

  /** Replaces all pseudonyms, so that noted old ones cannot be traced to people. Returns the number of people. */
  regenerate(principal: Principal): Promise<number> {
    if (principal.kind !== 'system') requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      await lockPeople(tx, principal.tenantId);
      const [, people] = await tx.query<[unknown[], number]>(regeneratePseudonyms, [principal.tenantId]);
      await tx.query(regeneratePseudonymKey, [principal.tenantId]);
      await this.audit.record(tx, principal, { kind: 'spend_pseudonyms.renewed', detail: { people } });
      return people;
    });
  }
}

const selectPseudonymsShown = 'select shows_pseudonyms as shown from spend_settings where tenant_id = $1';

/** Returns no row if nothing changed. */
const updatePseudonymsShown = `
  insert into spend_settings as s (tenant_id, shows_pseudonyms)
  select $1, $2::boolean where $2::boolean or exists (select from spend_settings where tenant_id = $1)
  on conflict (tenant_id) do update set shows_pseudonyms = excluded.shows_pseudonyms
  where s.shows_pseudonyms <> excluded.shows_pseudonyms
  returning 1`;
const regeneratePseudonymKey = 'update spend_settings set pseudonym_key = default where tenant_id = $1';
const regeneratePseudonyms = `update spend_people set pseudonym = ${newPseudonym} where tenant_id = $1`;
