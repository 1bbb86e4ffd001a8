import { unmatchedName } from '../people/unmatched-name.sql.js';

/**
 * $1 tenant, $2 connections or null. The day up to which all tallies are settled, and the kinds of stale unit rollups.
 */
export const selectRollupState = `
  select (select case when bool_and(settled_day is not null) then min(settled_day)::text end from spend_tally_marks
          where tenant_id = $1 and ($2::uuid[] is null or connection_id = any($2))) as settled,
         array(select distinct scope::int from spend_stale_units where tenant_id = $1) as "staleScopes"`;

/** $1 tenant, $2 ids */
export const selectPeopleNames = `
  select 'p' || id as key, name, pseudonym from spend_people where tenant_id = $1 and id = any($2)`;
export const selectIdentityNames = `
  select 'i' || i.id as key, coalesce(i.name, i.email, i.key) as name, ${unmatchedName} as pseudonym
  from spend_identities i where i.tenant_id = $1 and i.id = any($2)`;
export const selectUnitNames = 'select id::text as key, name from spend_units where tenant_id = $1 and id = any($2)';
export const selectConnectionNames =
  'select id::text as key, name from connections where tenant_id = $1 and id = any($2)';
export const selectModelNames = 'select id::text as key, name from spend_models where tenant_id = $1 and id = any($2)';
export const selectModelIds = 'select id from spend_models where tenant_id = $1 and name = any($2)';
