import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** Which messages were replies to agents below a task; of remote agents, the delivery of the newest reply and who follows the stream. */
export class TaskReplies1790000001570 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table task_replies (
        tenant_id uuid not null,
        task_id uuid not null,
        position int not null,
        call_id uuid not null,
        primary key (tenant_id, task_id, position),
        foreign key (tenant_id, call_id) references task_delegations on delete cascade
      )`);
    await tenantTable(runner, 'task_replies', { app: ['select', 'insert'], system: ['select', 'delete'] });
    await runner.query('create index task_replies_call on task_replies (tenant_id, call_id)');
    // a message that did not arrive may be sent again in the same words
    await runner.query('grant update (hash) on task_items to cs_app');
    await runner.query(`
      alter table remote_delegations
        add column reply_attempts int not null default 0,
        add column reply_since timestamptz,
        add column replying_until timestamptz,
        add column reply_notice text,
        add column stream_by uuid,
        add column stream_until timestamptz,
        add column is_shown boolean not null default false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table remote_delegations
        drop column reply_attempts, drop column reply_since, drop column replying_until, drop column reply_notice,
        drop column stream_by, drop column stream_until, drop column is_shown`);
    await runner.query('revoke update (hash) on task_items from cs_app');
    await runner.query('drop table task_replies');
  }
}
