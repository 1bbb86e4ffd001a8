import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Tasks, their numbered events, their transcripts, and what they delegate. */
export class TasksBaseline1800000000900 extends Baseline {
  protected readonly sql = `
    -- no foreign key to the configuration: every new task would lock its row
    create table tasks (
      tenant_id uuid not null,
      id uuid not null,
      owner_id uuid not null,
      external_id text not null,
      context_id text,
      configuration_id uuid not null,
      key_id uuid not null,
      principal json not null,
      trace json,
      state text not null check (state in ('submitted', 'working', 'input-required', 'completed', 'failed', 'canceled', 'rejected')),
      status json not null,
      artifacts json,
      last_event int not null,
      items int not null,
      turns int not null,
      is_tainted boolean not null,
      waiting text check (waiting in ('information', 'approval', 'pause', 'time', 'quarantine')),
      is_woken boolean not null,
      due_at timestamptz,
      is_claimed boolean not null default false, -- a process works on it
      lease_epoch int not null,
      attempts int not null,
      lost_processes int not null default 0, -- processes in a row that ended while they worked on its current step
      worked_ms bigint not null,
      working_since timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, owner_id, external_id)
    ) with (fillfactor = 80);
    -- what may be claimed, by key, since each key has a limit of working tasks; what is being worked on; what may end its process
    create index tasks_queued on tasks (key_id, due_at)
      where due_at is not null and (state <> 'working' or waiting is not null) and lost_processes = 0;
    create index tasks_working on tasks (key_id, due_at) where state = 'working' and waiting is null;
    create index tasks_suspect on tasks (due_at) where lost_processes > 0;
    -- an expression, so that a look-up by (tenant_id, owner_id, external_id) cannot prefer it while there are no statistics
    create index tasks_of_owner on tasks (tenant_id, (owner_id::text), id);
    create index tasks_of_member on tasks (tenant_id, (principal ->> 'memberId'), id) where principal ->> 'memberId' is not null;
    ${secureTenantTable('tasks', { system: ['select', 'update', 'delete'] })}

    create table task_events (
      tenant_id uuid not null,
      task_id uuid not null,
      number int not null,
      status json not null,
      chunk json, -- of an artifact
      at timestamptz not null,
      primary key (tenant_id, task_id, number),
      constraint task_events_sealed check (status -> 'message' is null and status #> '{error,detail}' is null)
    );
    ${secureTenantTable('task_events', { app: ['select', 'insert'], system: ['select', 'insert', 'update', 'delete'] })}

    -- bodies are text, not jsonb: messages are stored as they were sent
    create table task_items (
      tenant_id uuid not null,
      task_id uuid not null,
      position int not null,
      kind text not null check (kind in ('message', 'turn', 'result')),
      hash bytea,
      body text not null,
      at timestamptz not null,
      primary key (tenant_id, task_id, position),
      constraint task_items_sealed check (left(body, 1) <> '{')
    );
    -- cs_app updates hashes: a message that did not arrive may be sent again with the same text
    ${secureTenantTable('task_items', {
      app: ['select', 'insert', 'update (hash)'],
      system: ['select', 'update', 'delete'],
    })}

    -- which call delegated which task; the row is older than the task, so that a retry delegates the same one
    create table task_delegations (
      tenant_id uuid not null,
      call_id uuid not null,
      task_id uuid not null,
      parent_task_id uuid,
      root_id uuid not null,
      is_tainted boolean not null default true,
      heard int not null,
      created_at timestamptz not null default now(),
      primary key (tenant_id, call_id)
    );
    create unique index task_delegations_task on task_delegations (tenant_id, task_id);
    create index task_delegations_root on task_delegations (tenant_id, root_id);
    create index task_delegations_parent on task_delegations (tenant_id, parent_task_id) where parent_task_id is not null;
    create index task_delegations_age on task_delegations (created_at);
    ${secureTenantTable('task_delegations', { app: ['select', 'insert', 'update'], system: ['select', 'delete'] })}

    -- delegations to remote agents: where they were sent, their ids and status there, the newest reply, and which process follows
    create table remote_delegations (
      tenant_id uuid not null,
      call_id uuid not null,
      connection_id uuid not null,
      attempt int not null default 0,
      sent_at timestamptz,
      address jsonb,
      remote_task_id text,
      remote_context_id text,
      standing jsonb,
      told_at timestamptz not null default now(),
      silent_since timestamptz,
      answered int not null default 0,
      reply_attempts int not null default 0,
      reply_since timestamptz,
      replying_until timestamptz,
      reply_notice text,
      stream_by uuid,
      stream_until timestamptz,
      is_shown boolean not null default false,
      primary key (tenant_id, call_id),
      foreign key (tenant_id, call_id) references task_delegations on delete cascade
    );
    ${secureTenantTable('remote_delegations', {
      app: ['select', 'insert', 'update'],
      system: ['select', 'update', 'delete'],
    })}

    -- messages that were replies to agents below a task
    create table task_replies (
      tenant_id uuid not null,
      task_id uuid not null,
      position int not null,
      call_id uuid not null,
      primary key (tenant_id, task_id, position),
      foreign key (tenant_id, call_id) references task_delegations on delete cascade
    );
    create index task_replies_call on task_replies (tenant_id, call_id);
    ${secureTenantTable('task_replies', { app: ['select', 'insert'], system: ['select', 'delete'] })}

    -- counts of the last minutes; a crash loses no more than a limit's memory, so they stay out of the write-ahead log
    create unlogged table key_usage (
      tenant_id uuid not null,
      key_id uuid not null,
      what text not null,
      slot int not null,
      count int not null,
      at timestamptz not null,
      primary key (tenant_id, key_id, what, slot)
    );
    ${secureTenantTable('key_usage', { app: [], system: ['select', 'insert', 'update', 'delete'] })}
  `;
}
