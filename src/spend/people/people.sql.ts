/** $1 tenant, $2 address, $3 whose it becomes; null: nobody's. */
export const takeAlias = `
  with gone as (
    delete from spend_aliases where tenant_id = $1 and kind = 'email' and vendor = '' and key = $2 and $3::uuid is null
  )
  update spend_aliases set person_id = $3
  where tenant_id = $1 and kind = 'email' and vendor = '' and key = $2 and $3::uuid is not null`;

/** $1 tenant, $2 from, $3 into: what belongs to a person becomes somebody else's; the identities that moved. */
export const moveAliases = 'update spend_aliases set person_id = $3 where tenant_id = $1 and person_id = $2';
export const moveIdentities =
  'update spend_identities set person_id = $3 where tenant_id = $1 and person_id = $2 returning id';
/** A group and a cost centre where the other one has none. */
export const inheritUnits = `
  update spend_people p
  set group_id = coalesce(p.group_id, gone.group_id), cost_centre_id = coalesce(p.cost_centre_id, gone.cost_centre_id)
  from spend_people gone
  where p.tenant_id = $1 and p.id = $3 and gone.tenant_id = $1 and gone.id = $2`;
export const forgetPerson = 'delete from spend_people where tenant_id = $1 and id = $2';

/** $1 tenant, $2 people: the identities that are theirs. */
export const identitiesOf = 'select id from spend_identities where tenant_id = $1 and person_id = any($2) order by id';
