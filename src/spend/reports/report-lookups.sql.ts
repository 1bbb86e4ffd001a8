import { statement } from '../../platform/database/statement.js';
import { unmatchedName } from '../../people/unmatched-name.port.js';
import type { RollupState } from './report-selection.js';

export const selectRollupState = statement<[tenantId: string, connectionIds: readonly string[] | null], RollupState>(`
  select (select case when bool_and(settled_day is not null) then min(settled_day)::text end from spend_tally_marks
          where tenant_id = $1 and ($2::uuid[] is null or connection_id = any($2))) as settled,
         array(select distinct scope::int from spend_stale_units where tenant_id = $1) as "staleScopes"`);

/** The name of a row of a report. */
interface RowName {
  key: string;
  name: string;
}

interface PseudonymousName extends RowName {
  pseudonym: string;
  pseudonymId: string;
}

export const selectPeopleNames = statement<[tenantId: string, ids: readonly string[]], PseudonymousName>(`
  select 'p' || id as key, name, pseudonym, pseudonym_id as "pseudonymId"
  from spend_people where tenant_id = $1 and id = any($2)`);
export const selectIdentityNames = statement<[tenantId: string, ids: readonly number[]], PseudonymousName>(`
  select 'i' || i.id as key, coalesce(i.name, i.email, i.key) as name, ${unmatchedName} as pseudonym,
         i.pseudonym_id as "pseudonymId"
  from spend_identities i where i.tenant_id = $1 and i.id = any($2)`);

export const selectPeopleByPseudonym = statement<[tenantId: string, pseudonymIds: readonly string[]], { id: string }>(
  'select id from spend_people where tenant_id = $1 and pseudonym_id = any($2)',
);
export const selectIdentitiesByPseudonym = statement<
  [tenantId: string, pseudonymIds: readonly string[]],
  { id: number }
>('select id from spend_identities where tenant_id = $1 and pseudonym_id = any($2)');
export const selectUnitNames = statement<[tenantId: string, ids: readonly string[]], RowName>(
  'select id::text as key, name from spend_units where tenant_id = $1 and id = any($2)',
);
export const selectConnectionNames = statement<[tenantId: string, ids: readonly string[]], RowName>(
  'select id::text as key, name from connections where tenant_id = $1 and id = any($2)',
);
export const selectModelNames = statement<[tenantId: string, ids: readonly number[]], RowName>(
  'select id::text as key, name from spend_models where tenant_id = $1 and id = any($2)',
);
export const selectModelIds = statement<[tenantId: string, names: readonly string[]], { id: number }>(
  'select id from spend_models where tenant_id = $1 and name = any($2)',
);
