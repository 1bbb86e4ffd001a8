import { statement } from '../platform/database/statement.js';

export interface MatchedIdentity {
  id: number;
  by: 'email' | 'alias' | 'vendor_id';
}

/** Keeps each statement below the statement timeout. Further rounds match the rest. */
const maxMatchesPerRound = 20_000;
const isUnmatched = `
  i.tenant_id = $1 and ($2::uuid is null or i.connection_id = $2)
  and i.person_id is null and i.unmatched_at is null and not i.is_ignored and i.kind <> 'unattributed'`;

export const anyUnmatched = statement<[tenantId: string, connectionId: string | null], { isAny: boolean }>(
  `select exists (select from spend_identities i where ${isUnmatched}) as "isAny"`,
);

/**
 * The first rule with a result decides. A rule that finds two people matches nobody.
 * Identities that an administrator ignored or unmatched stay unmatched, as does usage that the vendor attributes to
 * nobody.
 */
export const matchIdentities = statement<[tenantId: string, connectionId: string | null], MatchedIdentity>(
  `
  with unmatched as (
    select i.id, i.connection_id, i.kind, i.key, i.vendor_user_id, c.kind as vendor,
           case when i.kind = 'email' then i.key when i.kind in ('login', 'vendor_user_id') then i.email end as address
    from spend_identities i
    join connections c on c.tenant_id = i.tenant_id and c.id = i.connection_id
    where ${isUnmatched}
  ),
  found as (
    select u.id, p.id as person_id, case when p.email = u.address then 'email' else 'alias' end as rule, 1 as rank
    from unmatched u
    join spend_aliases a on a.tenant_id = $1 and a.kind = 'email' and a.vendor = '' and a.key = u.address
    join spend_people p on p.tenant_id = $1 and p.id = a.person_id
    union all
    select u.id, a.person_id, 'alias', 2
    from unmatched u join spend_aliases a on a.tenant_id = $1 and a.kind = u.kind and a.vendor = u.vendor and a.key = u.key
    union all
    select u.id, a.person_id, 'vendor_id', 3
    from unmatched u
    join spend_aliases a
      on a.tenant_id = $1 and a.kind = 'vendor_user_id' and a.vendor = u.vendor and a.key = u.vendor_user_id
    union all
    select u.id, known.person_id, 'vendor_id', 4
    from unmatched u
    join spend_identities known
      on known.tenant_id = $1 and known.connection_id = u.connection_id and known.vendor_user_id = u.vendor_user_id
    where known.person_id is not null
  ),
  sure as (
    select distinct on (id) id, person_id, rule
    from (
      select id, rank, min(rule) as rule, min(person_id::text)::uuid as person_id
      from found group by id, rank having count(distinct person_id) = 1
    ) single
    order by id, rank limit ${maxMatchesPerRound}
  ),
  changed as (
    update spend_identities i set person_id = sure.person_id, matched_by = sure.rule
    from sure where i.tenant_id = $1 and i.id = sure.id and i.person_id is null
    returning i.id, i.matched_by
  )
  select id, matched_by as by from changed order by id`,
  { neverNull: ['by'] },
);
