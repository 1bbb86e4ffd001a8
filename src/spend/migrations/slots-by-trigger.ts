import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whoever appears gets the next slot of the connection, so that no day has to look for newcomers. */
export class SlotsByTrigger1790000001411 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await giveMissing(runner);
    await runner.query(`
      create function spend_identities_appeared() returns trigger language plpgsql as $$
      begin
        -- one after the other: each takes up where the one before ended, which the statement below sees by then
        perform pg_advisory_xact_lock(hashtextextended('spend.slots' || c.tenant_id || c.connection_id, 0))
        from (select distinct tenant_id, connection_id from new_rows order by 1, 2) c;
        with free as materialized (
          select c.tenant_id, c.connection_id, (
            select coalesce(max(s.slot) + 1, 0) from spend_slots s
            where s.tenant_id = c.tenant_id and s.connection_id = c.connection_id) as slot
          from (select distinct tenant_id, connection_id from new_rows) c
        )
        insert into spend_slots (tenant_id, connection_id, slot, identity)
        select tenant_id, connection_id,
               f.slot + (row_number() over (partition by tenant_id, connection_id order by n.id) - 1)::int, n.id
        from new_rows n join free f using (tenant_id, connection_id);
        return null;
      end $$`);
    await runner.query(`
      create trigger spend_identities_appeared after insert on spend_identities
      referencing new table as new_rows for each statement execute function spend_identities_appeared()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger spend_identities_appeared on spend_identities');
    await runner.query('drop function spend_identities_appeared');
  }
}

/** To those who appeared before, and were not active yet. An owner sees all tenants' rows only where it is not forced. */
async function giveMissing(runner: QueryRunner): Promise<void> {
  const tables = ['spend_identities', 'spend_slots'];
  for (const table of tables) await runner.query(`alter table ${table} no force row level security`);
  await runner.query(`
    insert into spend_slots (tenant_id, connection_id, slot, identity)
    select i.tenant_id, i.connection_id,
           (select coalesce(max(s.slot) + 1, 0) from spend_slots s
            where s.tenant_id = i.tenant_id and s.connection_id = i.connection_id)
           + (row_number() over (partition by i.tenant_id, i.connection_id order by i.id) - 1)::int, i.id
    from spend_identities i
    where not exists (
      select from spend_slots s
      where s.tenant_id = i.tenant_id and s.connection_id = i.connection_id and s.identity = i.id)`);
  for (const table of tables) await runner.query(`alter table ${table} force row level security`);
}
