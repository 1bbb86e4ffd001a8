import { statement } from '../../platform/database/statement.js';

interface ReportPersonRow {
  id: string;
  name: string;
}

/**
 * People of the groups, or all; by name and id, or by pseudonym and its id, which are then all that a search matches.
 * With `ids`, only these people.
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
  select shown.id, shown.name
  from spend_people p, lateral (
    select case when $3::bool then p.pseudonym_id else p.id end as id, case when $3 then p.pseudonym else p.name end as name,
           case when $3 then p.pseudonym else concat_ws(' ', p.name, p.email) end as searched
  ) shown
  where p.tenant_id = $1 and ($2::uuid[] is null or p.group_id = any($2)) and ($5::uuid[] is null or shown.id = any($5))
    and ($4::text is null or strpos(lower(shown.searched), lower($4)) > 0)
  order by shown.name, shown.id limit $6`);
