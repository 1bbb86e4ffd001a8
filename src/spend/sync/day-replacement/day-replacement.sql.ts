import { statement } from '../../../platform/database/statement.js';
import type { Day } from '../../../platform/time/day.js';
import { type Cents, countMetrics, tokenMetrics } from '../../usage-row.js';
import { chargeColumns, dayColumns } from '../staging/columns.js';
import { createStagedCharges, stagedCharges, stagedUsage, stagingTables } from '../staging/staging.sql.js';

/*
 * Moves one day of one connection from the temporary tables into the permanent ones. Equal rows are not written. The
 * first sync of a day has nothing to compare with.
 */

export interface ReplacedRows {
  added: number;
  changed: number;
  removed: number;
  centsBefore: Cents | null;
  centsAfter: Cents | null;
}

const list = (columns: readonly string[], of = '') => columns.map((name) => `${of}${name}`).join(', ');
const total = (name: string) => `sum(${name}) as ${name}`;

/** Joins the summed events of each identity with its counts. Either side may be missing. */
const newDays = (day: Day) => `
  select coalesce(u.identity, e.identity) as identity, ${list(countMetrics, 'u.')},
         ${tokenMetrics.map((name) => `e.${name}::bigint`).join(', ')}, e.charged_cents, e.included_cents, e.request_units
  from ${stagedUsage(day)} u
  full join (
    select identity, ${tokenMetrics.map(total).join(', ')}, ${total('charged_cents')},
           case when sum(charged_cents) is not null then coalesce(sum(charged_cents) filter (where is_included), 0) end
             as included_cents, ${total('request_units')}
    from ${stagedCharges} group by identity
  ) e on e.identity = u.identity`;

/**
 * Inserts in key order. A day older than stored days is inserted in two passes: splitting an index page in the middle
 * leaves it half empty, and the rows of the second pass fill these gaps. The index gets a third smaller than with one
 * pass (only appending at the end of an index fills pages).
 */
const insertOrder = (more = '') => `
  order by exists (select from spend_days newer where newer.tenant_id = $1 and newer.day > $2) and identity % 9 > 4,
           identity${more}`;

export const insertDays = (day: Day) =>
  statement<[tenantId: string, day: Day], ReplacedRows>(
    `
  with written as (
    insert into spend_days (tenant_id, day, identity, ${list(dayColumns)})
    select $1::uuid, $2::date, identity, ${list(dayColumns)} from (${newDays(day)}) new
    ${insertOrder()}
    returning 1
  )
  select count(*)::int as added, 0 as changed, 0 as removed, null as "centsBefore",
         (select sum(charged_cents) from ${stagedCharges}) as "centsAfter"
  from written`,
    { roles: ['cs_bulk'], temporaryTables: stagingTables(day) },
  );

const ours = `exists (
  select 1 from spend_identities i where i.tenant_id = $1 and i.id = old.identity and i.connection_id = $3)`;

export const replaceDays = (day: Day) =>
  statement<[tenantId: string, day: Day, connectionId: string], ReplacedRows>(
    `
  with old as materialized (
    select old.* from spend_days old
    join spend_identities i on i.tenant_id = $1 and i.id = old.identity and i.connection_id = $3
    where old.tenant_id = $1 and old.day = $2
  ), new as materialized (${newDays(day)}),
  written as (
    insert into spend_days (tenant_id, day, identity, ${list(dayColumns)})
    select $1::uuid, $2::date, new.identity, ${list(dayColumns, 'new.')}
    from new left join old on old.identity = new.identity
    where old.identity is null or (${list(dayColumns, 'old.')}) is distinct from (${list(dayColumns, 'new.')})
    on conflict (tenant_id, day, identity) do update set ${dayColumns.map((name) => `${name} = excluded.${name}`).join(', ')}
    returning (xmax = 0) as is_added
  ), removed as (
    delete from spend_days d using old
    where d.tenant_id = $1 and d.day = $2 and d.identity = old.identity
      and not exists (select 1 from new where new.identity = old.identity)
    returning 1
  )
  select (select count(*) from written where is_added)::int as added,
         (select count(*) from written where not is_added)::int as changed,
         (select count(*) from removed)::int as removed,
         (select sum(charged_cents) from old) as "centsBefore", (select sum(charged_cents) from new) as "centsAfter"`,
    { roles: ['cs_bulk'], temporaryTables: stagingTables(day) },
  );

const ofCharges = { roles: ['cs_bulk'], temporaryTables: [createStagedCharges] } as const;

export const insertCharges = statement<[tenantId: string, day: Day]>(
  `
  insert into spend_charges (tenant_id, day, identity, model, is_included, ${list(chargeColumns)})
  select $1::uuid, $2::date, identity, model, is_included, ${list(chargeColumns)} from ${stagedCharges}
  ${insertOrder(', model')}`,
  ofCharges,
);

export const replaceCharges = statement<[tenantId: string, day: Day, connectionId: string], { touched: string }>(
  `
  with old as materialized (
    select old.* from spend_charges old where old.tenant_id = $1 and old.day = $2 and ${ours}
  ), written as (
    insert into spend_charges (tenant_id, day, identity, model, is_included, ${list(chargeColumns)})
    select $1::uuid, $2::date, new.identity, new.model, new.is_included, ${list(chargeColumns, 'new.')}
    from ${stagedCharges} new
    left join old on old.identity = new.identity and old.model = new.model and old.is_included = new.is_included
    where old.identity is null or (${list(chargeColumns, 'old.')}) is distinct from (${list(chargeColumns, 'new.')})
    on conflict (tenant_id, day, identity, model, is_included)
      do update set ${chargeColumns.map((name) => `${name} = excluded.${name}`).join(', ')}
    returning 1
  ), removed as (
    delete from spend_charges c using old
    where c.tenant_id = $1 and c.day = $2 and c.identity = old.identity and c.model = old.model
      and c.is_included = old.is_included
      and not exists (
        select 1 from ${stagedCharges} new
        where new.identity = old.identity and new.model = old.model and new.is_included = old.is_included)
    returning 1
  )
  select (select count(*) from written) + (select count(*) from removed) as touched`,
  ofCharges,
);

/** If a vendor lists an identity twice, the last row wins, as in a table with a key. */
export const deduplicateUsage = (day: Day) =>
  statement(
    `
  delete from ${stagedUsage(day)} a using ${stagedUsage(day)} b where a.identity = b.identity and a.ctid < b.ctid`,
    { roles: ['cs_bulk'], temporaryTables: stagingTables(day) },
  );
export const deduplicateCharges = statement(
  `
  delete from ${stagedCharges} a using ${stagedCharges} b
  where a.identity = b.identity and a.model = b.model and a.is_included = b.is_included and a.ctid < b.ctid`,
  ofCharges,
);

const someDay = '2026-11-01';
/** @public For the check of all statements. Those of other days differ only in the name of the staging table. */
export const statementsOfSomeDay = {
  insertDays: insertDays(someDay),
  replaceDays: replaceDays(someDay),
  deduplicateUsage: deduplicateUsage(someDay),
};
