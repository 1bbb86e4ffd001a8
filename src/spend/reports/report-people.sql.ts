import { statement } from '../../platform/database/statement.js';

interface ReportPersonRow {
  id: string;
  name: string;
}

/**
 * People of the groups, or all; by name, or by pseudonym, which is then the only text that a search matches. With `ids`,
 * only these people.
 */
export const selectReportPeople = statement<
  [
    tenantId: string,
    groupIds: readonly string[] | null,
    showsPseudonyms: boolean,
    search: string | null,
    ids: readonly string[] | null,
    limit: number,
  ],
  ReportPersonRow
>(`
  select id, case when $3::bool then pseudonym else name end as name
  from spend_people
  where tenant_id = $1 and ($2::uuid[] is null or group_id = any($2)) and ($5::uuid[] is null or id = any($5))
    and ($4::text is null or strpos(lower(case when $3 then pseudonym else concat_ws(' ', name, email) end), lower($4)) > 0)
  order by 2, id limit $6`);
