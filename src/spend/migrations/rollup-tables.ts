import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/**
 * What reports read instead of a row per person and day. Everything here can be made again from `spend_days` and
 * `spend_charges`; docs/decisions/spend-reports.md says why these and no others.
 */
export class RollupTables1790000001310 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await unitSums(runner);
    await tallies(runner);
    await active(runner);
    await stale(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger spend_people_moved on spend_people');
    await runner.query('drop trigger spend_identities_matched on spend_identities');
    await runner.query('drop function spend_people_moved, spend_identities_matched');
    await runner.query('drop table spend_stale_units, spend_active_days, spend_slots');
    await runner.query('drop table spend_tallies, spend_tally_marks, spend_model_sums, spend_unit_sums');
  }
}

const counts = `
  ai_requests_chat bigint, ai_requests_agent bigint, ai_requests_composer bigint, ai_requests_cmdk bigint,
  tab_completions_shown bigint, tab_completions_accepted bigint, applies_accepted bigint, applies_rejected bigint,
  lines_accepted_added bigint, lines_accepted_deleted bigint,
  subscription_included_requests bigint, usage_based_requests bigint, byo_api_key_requests bigint`;
const tokens = 'input_tokens numeric, output_tokens numeric, cache_read_tokens numeric, cache_creation_tokens numeric';
const amounts = 'charged_cents numeric, included_cents numeric, request_units numeric';

/** Sums of whole units: everybody (scope 0), a group (1), a cost centre (2); the unit of nobody's is all zeros. */
async function unitSums(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table spend_unit_sums (
      tenant_id uuid not null,
      scope smallint not null check (scope between 0 and 2),
      span text not null check (span in ('day', 'month')),
      start date not null,
      connection_id uuid not null,
      unit_id uuid not null,
      ${counts}, ${tokens}, ${amounts},
      primary key (tenant_id, scope, span, start, connection_id, unit_id)
    )`);
  await runner.query(`
    create table spend_model_sums (
      tenant_id uuid not null,
      scope smallint not null check (scope between 0 and 2),
      day date not null,
      connection_id uuid not null,
      unit_id uuid not null,
      model int not null,
      events bigint not null,
      ${tokens}, ${amounts}, list_cents numeric,
      primary key (tenant_id, scope, day, connection_id, unit_id, model)
    )`);
  // three years of one group, without everybody else's
  await runner.query('create index spend_model_sums_of_unit on spend_model_sums (tenant_id, scope, unit_id, day)');
  for (const table of ['spend_unit_sums', 'spend_model_sums']) await tenantTable(runner, table);
}

/**
 * What an identity had used before a day, four times a month: the difference of two rows is the range in between.
 * `known` counts the days that knew each sum, so that a difference is null where no day did.
 */
async function tallies(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table spend_tallies (
      tenant_id uuid not null,
      day date not null,
      identity int not null,
      days int not null,
      ${counts}, ${tokens}, ${amounts},
      known smallint[] not null,
      primary key (tenant_id, day, identity)
    )`);
  // tallies up to settled_day are right; every changed day raises the version, so that no job settles over it
  await runner.query(`
    create table spend_tally_marks (
      tenant_id uuid not null,
      connection_id uuid not null,
      settled_day date,
      version bigint not null,
      primary key (tenant_id, connection_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  await tenantTable(runner, 'spend_tallies');
  await tenantTable(runner, 'spend_tally_marks', { system: ['select'] });
}

/** Who was active: one bit an identity, in its connection's slot, so that distinct people of any range are one OR away. */
async function active(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table spend_slots (
      tenant_id uuid not null,
      connection_id uuid not null,
      slot int not null,
      identity int not null,
      primary key (tenant_id, connection_id, slot),
      unique (tenant_id, connection_id, identity),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  await runner.query(`
    create table spend_active_days (
      tenant_id uuid not null,
      connection_id uuid not null,
      day date not null,
      active bit varying not null,
      primary key (tenant_id, connection_id, day),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  for (const table of ['spend_slots', 'spend_active_days']) await tenantTable(runner, table);
}

/**
 * Units whose sums were made with other people in them. The tables themselves notice, so that nobody who moves people has
 * to remember it; a report reads people instead of units until the sums are made again.
 */
async function stale(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table spend_stale_units (
      tenant_id uuid not null,
      scope smallint not null check (scope in (1, 2)),
      unit_id uuid not null,
      version uuid not null,
      primary key (tenant_id, scope, unit_id)
    )`);
  await tenantTable(runner, 'spend_stale_units', { system: ['select'] });
  // once a statement: a list moves ten thousand people, a first pull matches a hundred thousand, into a few units
  await runner.query(`
    create function spend_people_moved() returns trigger language plpgsql as $$
    begin
      insert into spend_stale_units (tenant_id, scope, unit_id, version)
      select tenant_id, scope, unit, gen_random_uuid()
      from (
        select distinct a.tenant_id, u.scope, coalesce(m.unit, '00000000-0000-0000-0000-000000000000') as unit
        from old_rows b join new_rows a on a.tenant_id = b.tenant_id and a.id = b.id
        cross join lateral (
          values (1::smallint, b.group_id, a.group_id), (2::smallint, b.cost_centre_id, a.cost_centre_id)
        ) u (scope, before, after)
        cross join lateral (values (u.before), (u.after)) m (unit)
        where u.before is distinct from u.after
      ) moved
      order by tenant_id, scope, unit
      on conflict (tenant_id, scope, unit_id) do update set version = excluded.version;
      return null;
    end $$`);
  await runner.query(`
    create function spend_identities_matched() returns trigger language plpgsql as $$
    begin
      insert into spend_stale_units (tenant_id, scope, unit_id, version)
      select tenant_id, scope, unit, gen_random_uuid()
      from (
        select distinct a.tenant_id, u.scope, coalesce(m.unit, '00000000-0000-0000-0000-000000000000') as unit
        from old_rows b join new_rows a on a.tenant_id = b.tenant_id and a.id = b.id
        left join spend_people former on former.tenant_id = b.tenant_id and former.id = b.person_id
        left join spend_people latter on latter.tenant_id = a.tenant_id and latter.id = a.person_id
        cross join lateral (
          values (1::smallint, former.group_id, latter.group_id), (2::smallint, former.cost_centre_id, latter.cost_centre_id)
        ) u (scope, before, after)
        cross join lateral (values (u.before), (u.after)) m (unit)
        where b.person_id is distinct from a.person_id and u.before is distinct from u.after
      ) moved
      order by tenant_id, scope, unit
      on conflict (tenant_id, scope, unit_id) do update set version = excluded.version;
      return null;
    end $$`);
  await runner.query(`
    create trigger spend_people_moved after update on spend_people
    referencing old table as old_rows new table as new_rows
    for each statement execute function spend_people_moved()`);
  await runner.query(`
    create trigger spend_identities_matched after update on spend_identities
    referencing old table as old_rows new table as new_rows
    for each statement execute function spend_identities_matched()`);
}
