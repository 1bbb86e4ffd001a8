import { statement } from '../platform/database/statement.js';
import type { IdentityKind } from './vendor-identity.port.js';
import type { SpendPerson } from './person.entity.js';

/** `unitId`: a group or cost centre. */
export const listPeople = statement<
  [
    tenantId: string,
    partOfNameOrEmail: string | null,
    unitId: string | null,
    isRemoved: boolean,
    afterName: string | null,
    afterId: string | null,
    limit: number,
  ],
  SpendPerson & { aliases: string[]; total: number }
>(`
  with found as (
    select p.* from spend_people p
    where p.tenant_id = $1 and (p.removed_at is not null) = $4 and ($3::uuid is null or $3 in (p.group_id, p.cost_centre_id))
      and ($2::text is null or strpos(lower(p.name), lower($2)) > 0 or exists (
        select from spend_aliases a where a.tenant_id = $1 and a.person_id = p.id and strpos(a.key, lower($2)) > 0))
  )
  select tenant_id as "tenantId", id, member_id as "memberId", email, name, is_service_account as "isServiceAccount",
         group_id as "groupId", cost_centre_id as "costCentreId", removed_at as "removedAt", created_at as "createdAt",
         array(select a.key from spend_aliases a
               where a.tenant_id = $1 and a.person_id = found.id and a.kind = 'email' and a.key is distinct from found.email
               order by a.key) as aliases,
         (select count(*)::int from found) as total
  from found
  where $5::text is null or (name, id) > ($5, $6::uuid)
  order by name, id limit $7`);

type Alias = readonly [tenantId: string, kind: IdentityKind, vendor: string, key: string];

export const findAliasHolder = statement<Alias, { id: string; name: string; email: string | null }>(`
  select p.id, p.name, p.email from spend_aliases a
  join spend_people p on p.tenant_id = a.tenant_id and p.id = a.person_id
  where a.tenant_id = $1 and a.kind = $2 and a.vendor = $3 and a.key = $4`);
export const addAlias = statement<readonly [...Alias, personId: string]>(`
  insert into spend_aliases (tenant_id, kind, vendor, key, person_id, created_at) values ($1, $2, $3, $4, $5, now())
  on conflict (tenant_id, kind, vendor, key) do nothing`);
export const deleteAlias = statement<readonly [...Alias, personId: string]>(
  'delete from spend_aliases where tenant_id = $1 and kind = $2 and vendor = $3 and key = $4 and person_id = $5',
);

/** Removes the matches made by an alias. */
export const detachAlias = statement<[tenantId: string, email: string, formerHolderId: string]>(`
  update spend_identities i set person_id = null, matched_by = null
  where i.tenant_id = $1 and i.person_id = $3 and i.matched_by = 'alias' and (i.kind, i.key) = ('email', $2)`);

/** Excludes the main email address. */
export const listAddresses = statement<
  [tenantId: string, personIds: readonly string[]],
  { personId: string; key: string }
>(`
  select a.person_id as "personId", a.key
  from spend_aliases a join spend_people p on p.tenant_id = a.tenant_id and p.id = a.person_id
  where a.tenant_id = $1 and a.person_id = any ($2) and a.kind = 'email' and a.key is distinct from p.email
  order by a.key`);

/** Without a new holder, deletes the alias. */
export const transferAlias = statement<[tenantId: string, email: string, newHolderId: string | null]>(`
  with gone as (
    delete from spend_aliases where tenant_id = $1 and kind = 'email' and vendor = '' and key = $2 and $3::uuid is null
  )
  update spend_aliases set person_id = $3
  where tenant_id = $1 and kind = 'email' and vendor = '' and key = $2 and $3::uuid is not null`);

/** Merging two people: `from` is deleted, `into` remains. */
type Merge = [tenantId: string, from: string, into: string];

export const moveAliases = statement<Merge>(
  'update spend_aliases set person_id = $3 where tenant_id = $1 and person_id = $2',
);
export const moveIdentities = statement<Merge>(
  'update spend_identities set person_id = $3 where tenant_id = $1 and person_id = $2',
);
/** Copies group and cost centre if the remaining person has none. */
export const inheritUnits = statement<Merge>(`
  update spend_people p
  set group_id = coalesce(p.group_id, gone.group_id), cost_centre_id = coalesce(p.cost_centre_id, gone.cost_centre_id)
  from spend_people gone
  where p.tenant_id = $1 and p.id = $3 and gone.tenant_id = $1 and gone.id = $2`);

/** Keeps the person's main email address. */
export const deleteLearnedAlias = statement<readonly [...Alias, personId: string]>(`
  delete from spend_aliases a using spend_people p
  where a.tenant_id = $1 and a.kind = $2 and a.vendor = $3 and a.key = $4 and a.person_id = $5
    and p.tenant_id = $1 and p.id = $5 and not (a.kind = 'email' and p.email is not distinct from a.key)`);
