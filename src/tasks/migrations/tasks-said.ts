import type { MigrationInterface, QueryRunner } from 'typeorm';
import { create } from './advance-together.js';

export const said = `
  create function tasks_said(p_tenant uuid, p_tasks uuid[]) returns table (task_id uuid, kind text, body text)
  language plpgsql as $$
  begin
    perform set_config('app.tenant', p_tenant::text, true);
    return query select t.id, i.kind, i.body
      from unnest(p_tasks) as t(id)
      cross join lateral (
        select o.kind, o.body from task_items o
        where o.tenant_id = p_tenant and o.task_id = t.id and (o.kind = 'message' or o.kind = 'turn' and o.body like '%"question":%')
        order by o.position) i;
  end $$`;

/** What callers and agents said, without what was done in between: of many tasks in one statement. */
export class TasksSaid1790000001434 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await create(runner, 'tasks_said', [said]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function tasks_said');
  }
}
