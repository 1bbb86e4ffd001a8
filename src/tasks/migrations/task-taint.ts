import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A task that is handed on starts tainted where the task that hands it on is. By a trigger of the insert itself, so that there
 * is no moment in which the task can be worked on without; a task that was handed on is its own owner, and no other is.
 */
export class TaskTaint1790000001540 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // where nothing is said, as of what was handed on before: tainted
    await runner.query('alter table task_delegations add column is_tainted boolean not null default true');
    await runner.query(`
      create function tasks_inherit_taint() returns trigger language plpgsql as $$
      begin
        new.is_tainted := new.is_tainted or exists (
          select from task_delegations d left join tasks p on p.tenant_id = d.tenant_id and p.id = d.parent_task_id
          where d.tenant_id = new.tenant_id and d.task_id = new.id and (d.is_tainted or p.is_tainted));
        return new;
      end $$`);
    await runner.query(`
      create trigger tasks_inherit_taint before insert on tasks
      for each row when (new.owner_id = new.id) execute function tasks_inherit_taint()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger tasks_inherit_taint on tasks');
    await runner.query('drop function tasks_inherit_taint');
    await runner.query('alter table task_delegations drop column is_tainted');
  }
}
