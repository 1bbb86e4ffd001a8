import { advisoryLock, sharedAdvisoryLock } from '../../platform/database/advisory-lock.js';
import { statement } from '../../platform/database/statement.js';
import type { Day } from '../../platform/time/day.js';
import { modelSumColumns, noUnitId, reportSumColumns } from './sums.js';

const bulk = { roles: ['cs_bulk'] } as const;

/* Rollups of one day of a connection, written in the same transaction as the day. */

export type ConnectionDayParams = [tenantId: string, connectionId: string, day: Day];
export type ConnectionMonthParams = [tenantId: string, connectionId: string, month: Day, nextMonth: Day];

const list = (columns: readonly string[], each = (name: string) => name) => columns.map(each).join(', ');
const addedSums = (columns: readonly string[]) => list(columns, (name) => `sum(${name}) as ${name}`);

/** Joins the current person of a row `d`. */
const joinPeople = `
  join spend_identities i on i.tenant_id = d.tenant_id and i.id = d.identity
  left join spend_people p on p.tenant_id = i.tenant_id and p.id = i.person_id`;
const dayCondition = 'd.tenant_id = $1 and i.connection_id = $2 and d.day = $3';

/** Expands sums by group and cost centre into three scopes: everybody, by group and by cost centre. */
const inScopes = (source: string) => `
  ${source} x, unnest(array[0, 1, 2]::smallint[]) s (scope),
  lateral (select coalesce(case scope when 1 then group_id when 2 then cost_centre_id end, '${noUnitId}') as unit_id) u`;

/** Day updates take the shared lock and exclude the recalculation for moved people, which takes the exclusive lock. */
export const lockRollupsShared = sharedAdvisoryLock<[tenantId: string]>(
  `hashtextextended('spend.rollups' || $1, 0)`,
  bulk,
);
export const lockRollupsExclusive = advisoryLock<[tenantId: string]>(
  `hashtextextended('spend.rollups' || $1, 0)`,
  bulk,
);

export const deleteUnitDay = statement<ConnectionDayParams>(
  `
  delete from spend_unit_sums
  where tenant_id = $1 and connection_id = $2 and scope in (0, 1, 2) and span = 'day' and start = $3`,
  bulk,
);
export const insertUnitDay = statement<ConnectionDayParams>(
  `
  with by_both as (
    select p.group_id, p.cost_centre_id, ${list(reportSumColumns, (name) => `sum(d.${name}) as ${name}`)}
    from spend_days d ${joinPeople} where ${dayCondition} group by 1, 2
  )
  insert into spend_unit_sums (tenant_id, connection_id, span, start, scope, unit_id, ${list(reportSumColumns)})
  select $1, $2, 'day', $3, scope, unit_id, ${addedSums(reportSumColumns)} from ${inScopes('by_both')} group by scope, unit_id`,
  bulk,
);

export const deleteUnitMonth = statement<ConnectionMonthParams>(
  `
  delete from spend_unit_sums
  where tenant_id = $1 and connection_id = $2 and scope in (0, 1, 2) and span = 'month' and start >= $3 and start < $4`,
  bulk,
);
export const insertUnitMonth = statement<ConnectionMonthParams>(
  `
  insert into spend_unit_sums (tenant_id, connection_id, span, start, scope, unit_id, ${list(reportSumColumns)})
  select tenant_id, connection_id, 'month', $3, scope, unit_id, ${addedSums(reportSumColumns)}
  from spend_unit_sums
  where tenant_id = $1 and connection_id = $2 and scope in (0, 1, 2) and span = 'day' and start >= $3 and start < $4
  group by tenant_id, connection_id, scope, unit_id`,
  bulk,
);

export const deleteModelDay = statement<ConnectionDayParams>(
  `
  delete from spend_model_sums where tenant_id = $1 and connection_id = $2 and scope in (0, 1, 2) and day = $3`,
  bulk,
);

/** A column of spend_model_sums, from rows `d` of spend_charges. */
export const modelSumOf = (name: string): string =>
  name === 'included_cents'
    ? 'sum(d.charged_cents) filter (where d.is_included) as included_cents'
    : `sum(d.${name}) as ${name}`;
export const insertModelDay = statement<ConnectionDayParams>(
  `
  with by_both as (
    select p.group_id, p.cost_centre_id, d.model, ${list(modelSumColumns, modelSumOf)}
    from spend_charges d ${joinPeople} where ${dayCondition} group by 1, 2, 3
  )
  insert into spend_model_sums (tenant_id, connection_id, day, scope, unit_id, model, ${list(modelSumColumns)})
  select $1, $2, $3, scope, unit_id, model, ${addedSums(modelSumColumns)} from ${inScopes('by_both')} group by scope, unit_id, model`,
  bulk,
);

const activityColumns = reportSumColumns.filter(
  (name) => !name.endsWith('_tokens') && !name.endsWith('_cents') && name !== 'request_units',
);
const otherActivityColumns = reportSumColumns.filter((name) => !activityColumns.includes(name));

/** An identity is active on a day if any figure is above 0. Null counts as 0. */
const isActive = `coalesce(greatest(${list(activityColumns, (name) => `d.${name}`)}) > 0, false)
           or coalesce(greatest(${list(otherActivityColumns, (name) => `d.${name}`)}) > 0, false)`;

/** Joins and sorts only ids, not whole rows. */
export const upsertActiveDay = statement<ConnectionDayParams>(
  `
  with active as materialized (
    select d.identity from spend_days d where d.tenant_id = $1 and d.day = $3 and (${isActive})
  )
  insert into spend_active_days (tenant_id, connection_id, day, active)
  select $1, $2, $3, coalesce(string_agg(case when a.identity is null then '0' else '1' end, '' order by s.slot), '')::bit varying
  from spend_slots s left join active a on a.identity = s.identity
  where s.tenant_id = $1 and s.connection_id = $2
  on conflict (tenant_id, connection_id, day) do update set active = excluded.active
  where spend_active_days.active <> excluded.active`,
  bulk,
);

/** Invalidates the tallies after this day. Creates the mark if there is none. */
export const rewindTallyMark = statement<ConnectionDayParams>(
  `
  insert into spend_tally_marks (tenant_id, connection_id, settled_day, version) values ($1, $2, null, 1)
  on conflict (tenant_id, connection_id) do update
  set settled_day = case when spend_tally_marks.settled_day > $3 then $3 else spend_tally_marks.settled_day end,
      version = spend_tally_marks.version + 1`,
  bulk,
);
