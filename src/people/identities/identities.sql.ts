import type { IdentityKind } from '../vendor-identity.port.js';
import { statement } from '../../platform/database/statement.js';
import type { IdentityState, SpendIdentity } from './identity.entity.js';
import type { SpendPerson } from '../person.entity.js';

export type IdentityRow = Omit<SpendIdentity, 'suggestions' | 'person'> & { personId: string | null };

const columns = `
  i.id, i.connection_id as "connectionId", i.kind, i.key, i.name, i.email, i.vendor_role as "vendorRole",
  i.person_id as "personId", i.matched_by as "matchedBy", i.is_ignored as "isIgnored", i.has_seat as "hasSeat",
  i.first_seen as "firstSeen"`;

export const listIdentities = statement<
  [
    tenantId: string,
    connectionId: string | null,
    state: IdentityState | null,
    partOfKeyOrName: string | null,
    afterId: number | null,
    limit: number,
  ],
  IdentityRow & { total: number }
>(`
  with found as (
    select i.* from spend_identities i
    where i.tenant_id = $1 and ($2::uuid is null or i.connection_id = $2)
      and case $3
        when 'matched' then i.person_id is not null
        when 'ignored' then i.is_ignored
        when 'unmatched' then i.person_id is null and not i.is_ignored and i.kind <> 'unattributed'
        else true end
      and ($4::text is null or strpos(i.key, lower($4)) > 0 or strpos(lower(i.name), lower($4)) > 0)
  )
  select ${columns}, (select count(*)::int from found) as total
  from found i
  where $5::int is null or i.id > $5
  order by i.id limit $6`);

export const readIdentities = statement<[tenantId: string, ids: readonly number[]], IdentityRow>(
  `select ${columns} from spend_identities i where i.tenant_id = $1 and i.id = any($2) order by i.id`,
);

export interface LockedIdentity {
  id: number;
  kind: IdentityKind;
  key: string;
  vendor: string;
  personId: string | null;
}
/** Returns the connector too, which defines the namespace of their logins. */
export const lockIdentities = statement<[tenantId: string, ids: readonly number[]], LockedIdentity>(`
  select i.id, i.kind, i.key, c.kind as vendor, i.person_id as "personId"
  from spend_identities i join connections c on c.tenant_id = i.tenant_id and c.id = i.connection_id
  where i.tenant_id = $1 and i.id = any($2) order by i.id for update of i`);

/** `personIds`: the person of each identity. */
export const matchToPeople = statement<[tenantId: string, ids: readonly number[], personIds: readonly string[]]>(`
  update spend_identities i set person_id = said.person, matched_by = 'person', unmatched_at = null, is_ignored = false
  from unnest($2::int[], $3::uuid[]) as said (id, person)
  where i.tenant_id = $1 and i.id = said.id`);

export const detachIdentities = statement<[tenantId: string, ids: readonly number[], isIgnored: boolean]>(`
  update spend_identities set person_id = null, matched_by = null, unmatched_at = now(), is_ignored = $3
  where tenant_id = $1 and id = any($2)`);

/** Rules may match them again. */
export const reopenIgnoredIdentities = statement<[tenantId: string, ids: readonly number[]]>(`
  update spend_identities set is_ignored = false, unmatched_at = null where tenant_id = $1 and id = any($2) and person_id is null`);

export type MatchCandidate = SpendPerson & { identityId: number };
/** `words`: one of each identity. A word yields at most 50 people, because some names are very common. */
export const findPeopleByWords = statement<
  [tenantId: string, identityIds: readonly number[], words: readonly string[]],
  MatchCandidate
>(`
  select distinct asked.id as "identityId", p.id, p.tenant_id as "tenantId", p.member_id as "memberId", p.email, p.name,
         p.is_service_account as "isServiceAccount", p.group_id as "groupId", p.cost_centre_id as "costCentreId",
         p.removed_at as "removedAt", p.created_at as "createdAt"
  from unnest($2::int[], $3::text[]) as asked (id, word)
  cross join lateral (
    select w.person_id from spend_words w where w.tenant_id = $1 and w.word = asked.word limit 50
  ) known
  join spend_people p on p.tenant_id = $1 and p.id = known.person_id`);
