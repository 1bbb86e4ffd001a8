import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/**
 * The ledger of tool calls. A row outlives the configuration, the connection and the people it names: no foreign keys.
 */
export class GateBaseline1800000000800 extends Baseline {
  protected readonly sql = `
    create table tool_calls (
      tenant_id uuid not null,
      id uuid not null,
      configuration_id uuid not null,
      task_id text,
      call_refs text[] not null, -- the names of this call in the turns of its task
      identity text not null,
      caller jsonb not null,
      tool text not null,
      is_delegation boolean not null,
      effect text check (effect in ('read', 'write', 'destructive')),
      connection_id uuid,
      connection_revision int,
      definition_hash text,
      definition jsonb,
      arguments_sealed bytea,
      arguments_hash bytea,
      redacted_arguments jsonb,
      policy_ids text[] not null,
      policy_revision int,
      narrowed_by jsonb, -- what the policies of the delegating configurations decided
      steps text[] not null,
      tainted boolean not null,
      state text not null check (state in
        ('requested', 'denied', 'awaiting_approval', 'approved', 'executing', 'succeeded', 'failed', 'unsettled')),
      code text,
      reason text,
      attempts int not null,
      lease_epoch int,
      executor text,
      executing_until timestamptz,
      retry_key bytea,
      result_sealed bytea,
      is_foreign boolean not null default true, -- the outcome may contain text of another system
      requested_at timestamptz not null,
      expires_at timestamptz,
      executed_at timestamptz,
      ended_at timestamptz,
      delivered_at timestamptz,
      settled_by uuid,
      settlement text check (settlement in ('happened', 'did_not_happen', 'run_again')),
      primary key (tenant_id, id),
      -- what call-state.ts declares about the columns of each state
      check ((state = 'executing') = (executing_until is not null)),
      check (state <> 'executing' or (executor is not null and executed_at is not null)),
      check ((state in ('denied', 'succeeded', 'failed', 'unsettled')) = (ended_at is not null)),
      check (state not in ('denied', 'failed') or (code is not null and reason is not null)),
      check (state <> 'unsettled' or (code is null and reason is not null)),
      check (state <> 'awaiting_approval' or definition is not null)
    );
    -- an identical call finds this one; of two concurrent inserts, one waits for the other here
    create unique index tool_calls_retry on tool_calls (tenant_id, retry_key) where retry_key is not null;
    create index tool_calls_task on tool_calls (tenant_id, task_id) where task_id is not null;
    create index tool_calls_pending on tool_calls (tenant_id, identity) where state = 'awaiting_approval';
    create index tool_calls_executing on tool_calls (executing_until) where state = 'executing';
    create index tool_calls_approved on tool_calls (expires_at) where state = 'approved';
    create index tool_calls_ended on tool_calls (ended_at) where ended_at is not null;
    ${secureTenantTable('tool_calls', { app: ['select', 'insert', 'update'], system: ['select', 'update', 'delete'] })}
  `;
}
