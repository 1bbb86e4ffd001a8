import { statement } from '../../platform/database/statement.js';
import type { Day } from '../../platform/time/day.js';
import { modelSumOf } from './rollups.sql.js';
import { modelSumColumns, noUnitId, rollupScopes, reportSumColumns } from './sums.js';

const bulk = { roles: ['cs_bulk'] } as const;

const summedRows = (columns: readonly string[]) => columns.map((name) => `sum(d.${name})`).join(', ');

/** Prevents two processes from writing the same rows. */
export const tryLockTallies = statement<[tenantId: string, connectionId: string], { isAlone: boolean }>(
  `select pg_try_advisory_xact_lock(hashtextextended('spend.tallies' || $1 || $2, 0)) as "isAlone"`,
  bulk,
);

/** During a backfill, each older day would invalidate the tallies after it. */
const isBackfilling = `exists (
  select from spend_feeds f
  join spend_runs r on r.tenant_id = f.tenant_id and r.connection_id = f.connection_id
  where f.tenant_id = $1 and f.connection_id = m.connection_id and f.lease_until > now()
    and r.kind = 'backfill' and r.state = 'running')`;

export interface TallyMark {
  connectionId: string;
  settledDay: Day | null;
  version: string;
  firstDay: Day | null;
}
export const listTallyMarks = statement<[tenantId: string, lastTally: Day], TallyMark>(
  `
  select m.connection_id as "connectionId", m.settled_day::text as "settledDay", m.version,
         (select min(a.day)::text from spend_active_days a where a.tenant_id = $1 and a.connection_id = m.connection_id) as "firstDay"
  from spend_tally_marks m
  where m.tenant_id = $1 and (m.settled_day is null or m.settled_day < $2) and not ${isBackfilling}
  order by m.connection_id`,
  bulk,
);

export const deleteTally = statement<[tenantId: string, connectionId: string, day: Day]>(
  `
  delete from spend_tallies t using spend_identities i
  where t.tenant_id = $1 and t.day = $3 and i.tenant_id = $1 and i.connection_id = $2 and i.id = t.identity`,
  bulk,
);

export const insertTally = statement<[tenantId: string, connectionId: string, day: Day, previousTally: Day]>(
  `
  insert into spend_tallies (tenant_id, day, identity, days, ${reportSumColumns.join(', ')}, known)
  select $1, $3, d.identity, sum(d.days), ${summedRows(reportSumColumns)}, array[${reportSumColumns.map((name) => `sum(d.${name}_known)`).join(', ')}]::smallint[]
  from (
    select t.identity, t.days, ${reportSumColumns.map((name, index) => `t.${name}, t.known[${index + 1}] as ${name}_known`).join(', ')}
    from spend_tallies t where t.tenant_id = $1 and t.day = $4
    union all
    select d.identity, 1, ${reportSumColumns.map((name) => `d.${name}, (d.${name} is not null)::int`).join(', ')}
    from spend_days d where d.tenant_id = $1 and d.day >= $4 and d.day < $3
  ) d
  join spend_identities i on i.tenant_id = $1 and i.id = d.identity and i.connection_id = $2
  group by d.identity order by d.identity`,
  bulk,
);

/** `version`: when the days were read. Affects no row if a day has changed since. */
export const advanceTallyMark = statement<[tenantId: string, connectionId: string, day: Day, version: string]>(
  'update spend_tally_marks set settled_day = $3 where tenant_id = $1 and connection_id = $2 and version = $4',
  bulk,
);

/** A group or cost centre whose members changed. */
export interface StaleUnit {
  scope: number;
  unitId: string;
  version: string;
  identities: number;
}
export const listStaleUnits = statement<[tenantId: string], StaleUnit>(
  `
  select s.scope, s.unit_id as "unitId", s.version,
         (select count(*)::int from spend_people p join spend_identities i on i.tenant_id = $1 and i.person_id = p.id
          where p.tenant_id = $1 and case s.scope when 1 then p.group_id else p.cost_centre_id end = s.unit_id)
         + case when s.unit_id = '${noUnitId}' then
             (select count(*)::int from spend_identities i left join spend_people p on p.tenant_id = $1 and p.id = i.person_id
              where i.tenant_id = $1 and case s.scope when 1 then p.group_id else p.cost_centre_id end is null)
           else 0 end as identities
  from spend_stale_units s where s.tenant_id = $1 order by s.scope, s.unit_id`,
  bulk,
);

type Unit = [tenantId: string, scope: number, unitId: string];

/** Does not wait for transactions that move people: the unit then stays stale. */
export const deleteStaleUnit = statement<[...Unit, version: string]>(
  `
  delete from spend_stale_units where (tenant_id, scope, unit_id) in (
    select tenant_id, scope, unit_id from spend_stale_units
    where tenant_id = $1 and scope = $2 and unit_id = $3 and version = $4 for update skip locked)`,
  bulk,
);

/** Identities of a `Unit`. */
const unitMembers = `
  members as materialized (
    select i.id as identity, i.connection_id
    from spend_identities i left join spend_people p on p.tenant_id = i.tenant_id and p.id = i.person_id
    where i.tenant_id = $1
      and coalesce(case $2::smallint when ${rollupScopes.group} then p.group_id else p.cost_centre_id end, '${noUnitId}') = $3
  )`;

export const deleteUnitSums = statement<Unit>(
  'delete from spend_unit_sums where tenant_id = $1 and scope = $2 and unit_id = $3',
  bulk,
);
export const insertUnitDays = statement<Unit>(
  `
  with ${unitMembers}
  insert into spend_unit_sums (tenant_id, scope, unit_id, connection_id, span, start, ${reportSumColumns.join(', ')})
  select $1, $2, $3, m.connection_id, 'day', d.day, ${summedRows(reportSumColumns)}
  from members m
  join spend_active_days a on a.tenant_id = $1 and a.connection_id = m.connection_id
  join spend_days d on d.tenant_id = $1 and d.day = a.day and d.identity = m.identity
  group by m.connection_id, d.day`,
  bulk,
);
export const insertUnitMonths = statement<Unit>(
  `
  insert into spend_unit_sums (tenant_id, scope, unit_id, connection_id, span, start, ${reportSumColumns.join(', ')})
  select $1, $2, $3, d.connection_id, 'month', date_trunc('month', d.start), ${summedRows(reportSumColumns)}
  from spend_unit_sums d
  where d.tenant_id = $1 and d.scope = $2 and d.unit_id = $3 and d.span = 'day'
  group by d.connection_id, date_trunc('month', d.start)`,
  bulk,
);

export const deleteUnitModels = statement<Unit>(
  'delete from spend_model_sums where tenant_id = $1 and scope = $2 and unit_id = $3',
  bulk,
);
export const insertUnitModels = statement<Unit>(
  `
  with ${unitMembers}
  insert into spend_model_sums (tenant_id, scope, unit_id, connection_id, day, model, ${modelSumColumns.join(', ')})
  select $1, $2, $3, m.connection_id, d.day, d.model, ${modelSumColumns.map(modelSumOf).join(', ')}
  from members m
  join spend_active_days a on a.tenant_id = $1 and a.connection_id = m.connection_id
  join spend_charges d on d.tenant_id = $1 and d.day = a.day and d.identity = m.identity
  group by m.connection_id, d.day, d.model`,
  bulk,
);

export const listActiveDays = statement<[tenantId: string], { connectionId: string; day: Day }>(
  `
  select connection_id as "connectionId", day::text from spend_active_days where tenant_id = $1 order by day desc, connection_id`,
  bulk,
);
