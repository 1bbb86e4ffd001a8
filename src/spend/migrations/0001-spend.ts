import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

const all = ['select', 'insert', 'update', 'delete'] as const;

/** Also accessible to `cs_bulk`: bulk work needs these tables, but no credentials, calls, tasks or policies. */
const spendTable = (table: string, system: ('select' | 'insert' | 'update')[] = []): string =>
  secureTenantTable(table, { app: [...all], bulk: [...all], system });

/**
 * Cost and usage of AI coding assistants. Ids of identities and models are small integers, and columns go from wide to
 * narrow, because `spend_days` and `spend_charges` store a row per person and day for years.
 */
export class SpendBaseline1800000001200 extends Baseline {
  protected readonly sql = `
    ---- budgets

    create table spend_budgets (
      tenant_id uuid not null,
      id uuid not null,
      scope text not null check (scope in ('organization', 'group', 'cost_centre', 'person')),
      unit_id uuid,
      person_id uuid,
      counts text not null check (counts in ('all_usage', 'usage_based')),
      amount_cents numeric not null check (amount_cents > 0),
      thresholds int[] not null,
      created_at timestamptz not null,
      primary key (tenant_id, id),
      unique nulls not distinct (tenant_id, scope, unit_id, person_id, counts),
      foreign key (tenant_id, unit_id) references spend_units (tenant_id, id) on delete cascade,
      foreign key (tenant_id, person_id) references spend_people (tenant_id, id) on delete cascade,
      check ((unit_id is not null) = (scope in ('group', 'cost_centre'))),
      check ((person_id is not null) = (scope = 'person'))
    );
    ${spendTable('spend_budgets', ['select'])}

    -- when which threshold of a budget was reached: each once a month
    create table spend_budget_alerts (
      tenant_id uuid not null,
      budget_id uuid not null,
      month date not null,
      threshold int not null,
      reached_at timestamptz not null,
      spent_cents numeric not null,
      amount_cents numeric not null,
      primary key (tenant_id, budget_id, month, threshold),
      foreign key (tenant_id, budget_id) references spend_budgets (tenant_id, id) on delete cascade
    );
    ${spendTable('spend_budget_alerts')}

    ---- sync with vendors

    -- every write of a sync checks its lease_epoch, so that a superseded sync changes nothing
    create table spend_feeds (
      tenant_id uuid not null,
      connection_id uuid not null,
      connection_revision int,
      lease_epoch int not null,
      lease_until timestamptz,
      next_at timestamptz not null,
      hourly_at timestamptz not null,
      daily_at timestamptz not null,
      weekly_at timestamptz not null,
      members_at timestamptz,
      seats int,
      failures int not null,
      trouble text,
      trouble_detail text,
      wait_until timestamptz,
      vendor_cycle_start date,
      vendor_cycle_cents numeric,
      vendor_cycle_at timestamptz,
      primary key (tenant_id, connection_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    ${secureTenantTable('spend_feeds', { app: ['select', 'update'], bulk: ['select', 'update'], system: ['select', 'insert', 'update'] })}

    create table spend_runs (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      kind text not null check (kind in ('hourly', 'daily', 'weekly', 'backfill', 'asked')),
      state text not null check (state in ('running', 'done', 'failed')),
      from_day date not null,
      to_day date not null,
      days_done int not null,
      days_total int not null,
      days_changed int not null,
      requests int not null,
      rows int not null,
      unknown_fields jsonb not null,
      code text,
      detail text,
      started_at timestamptz not null,
      ended_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    create index spend_runs_by_connection on spend_runs (tenant_id, connection_id, id desc);
    ${spendTable('spend_runs')}

    -- what is known of each day, and since when
    create table spend_coverage (
      tenant_id uuid not null,
      connection_id uuid not null,
      stream text not null check (stream in ('usage', 'events')),
      day date not null,
      state text not null check (state in ('pending', 'provisional', 'final', 'lost')),
      pulled_at timestamptz,
      revision int not null,
      rows int,
      vendor_total int,
      checksum bytea,
      faulty_rows int not null,
      unknown_fields int not null,
      reason text,
      primary key (tenant_id, connection_id, stream, day),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    ${spendTable('spend_coverage', ['select', 'insert', 'update'])}

    -- later changes of days
    create table spend_revisions (
      tenant_id uuid not null,
      connection_id uuid not null,
      day date not null,
      revision int not null,
      recorded_at timestamptz not null,
      rows_added int not null,
      rows_changed int not null,
      rows_removed int not null,
      charged_cents_before numeric,
      charged_cents_after numeric,
      primary key (tenant_id, connection_id, day, revision),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    ${spendTable('spend_revisions')}

    ---- usage

    create table spend_models (
      tenant_id uuid not null,
      id int generated always as identity,
      name text not null,
      primary key (tenant_id, id),
      unique (tenant_id, name)
    );
    ${spendTable('spend_models')}

    -- an identity belongs to one connection: the day of a connection is the rows of its identities
    create table spend_days (
      tenant_id uuid not null,
      input_tokens bigint,
      output_tokens bigint,
      cache_read_tokens bigint,
      cache_creation_tokens bigint,
      day date not null,
      identity int not null,
      ai_requests_chat int,
      ai_requests_agent int,
      ai_requests_composer int,
      ai_requests_cmdk int,
      tab_completions_shown int,
      tab_completions_accepted int,
      applies_accepted int,
      applies_rejected int,
      lines_accepted_added int,
      lines_accepted_deleted int,
      subscription_included_requests int,
      usage_based_requests int,
      byo_api_key_requests int,
      charged_cents numeric,
      included_cents numeric,
      request_units numeric,
      primary key (tenant_id, day, identity)
    );
    ${spendTable('spend_days')}

    create table spend_charges (
      tenant_id uuid not null,
      input_tokens bigint,
      output_tokens bigint,
      cache_read_tokens bigint,
      cache_creation_tokens bigint,
      day date not null,
      identity int not null,
      model int not null,
      events int not null,
      is_included boolean not null,
      charged_cents numeric,
      list_cents numeric,
      request_units numeric,
      primary key (tenant_id, day, identity, model, is_included)
    );
    ${spendTable('spend_charges')}

    -- how often the assistant of an identity called tools of an MCP server
    create table spend_mcp_use (
      tenant_id uuid not null,
      day date not null,
      identity int not null,
      server text not null,
      calls int not null,
      primary key (tenant_id, day, identity, server),
      foreign key (tenant_id, identity) references spend_identities (tenant_id, id)
    );
    create index spend_mcp_use_by_server on spend_mcp_use (tenant_id, server, day);
    ${spendTable('spend_mcp_use')}

    ---- what reports read instead of a row per person and day; can be computed again from spend_days and spend_charges
    ---- (docs/decisions/spend-reports.md says why these and no others)

    -- sums of whole units: everyone (scope 0), a group (1), a cost centre (2); the unit of people without one is all zeros
    create table spend_unit_sums (
      tenant_id uuid not null,
      scope smallint not null check (scope between 0 and 2),
      span text not null check (span in ('day', 'month')),
      start date not null,
      connection_id uuid not null,
      unit_id uuid not null,
      ai_requests_chat bigint,
      ai_requests_agent bigint,
      ai_requests_composer bigint,
      ai_requests_cmdk bigint,
      tab_completions_shown bigint,
      tab_completions_accepted bigint,
      applies_accepted bigint,
      applies_rejected bigint,
      lines_accepted_added bigint,
      lines_accepted_deleted bigint,
      subscription_included_requests bigint,
      usage_based_requests bigint,
      byo_api_key_requests bigint,
      input_tokens numeric,
      output_tokens numeric,
      cache_read_tokens numeric,
      cache_creation_tokens numeric,
      charged_cents numeric,
      included_cents numeric,
      request_units numeric,
      primary key (tenant_id, scope, span, start, connection_id, unit_id)
    );
    ${spendTable('spend_unit_sums')}

    create table spend_model_sums (
      tenant_id uuid not null,
      scope smallint not null check (scope between 0 and 2),
      day date not null,
      connection_id uuid not null,
      unit_id uuid not null,
      model int not null,
      events bigint not null,
      input_tokens numeric,
      output_tokens numeric,
      cache_read_tokens numeric,
      cache_creation_tokens numeric,
      charged_cents numeric,
      included_cents numeric,
      request_units numeric,
      list_cents numeric,
      primary key (tenant_id, scope, day, connection_id, unit_id, model)
    );
    -- three years of one group, without all the others
    create index spend_model_sums_of_unit on spend_model_sums (tenant_id, scope, unit_id, day);
    ${spendTable('spend_model_sums')}

    -- what an identity had used before a day, four times a month: the difference of two rows is the range in between; known
    -- counts the days that had each sum, so that a difference is null where no day had it
    create table spend_tallies (
      tenant_id uuid not null,
      day date not null,
      identity int not null,
      days int not null,
      ai_requests_chat bigint,
      ai_requests_agent bigint,
      ai_requests_composer bigint,
      ai_requests_cmdk bigint,
      tab_completions_shown bigint,
      tab_completions_accepted bigint,
      applies_accepted bigint,
      applies_rejected bigint,
      lines_accepted_added bigint,
      lines_accepted_deleted bigint,
      subscription_included_requests bigint,
      usage_based_requests bigint,
      byo_api_key_requests bigint,
      input_tokens numeric,
      output_tokens numeric,
      cache_read_tokens numeric,
      cache_creation_tokens numeric,
      charged_cents numeric,
      included_cents numeric,
      request_units numeric,
      known smallint[] not null,
      primary key (tenant_id, day, identity)
    );
    ${spendTable('spend_tallies')}

    -- tallies up to settled_day are right; every changed day raises the version, so that no job settles over the change
    create table spend_tally_marks (
      tenant_id uuid not null,
      connection_id uuid not null,
      settled_day date,
      version bigint not null,
      primary key (tenant_id, connection_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    ${spendTable('spend_tally_marks', ['select'])}

    -- who was active: one bit an identity, in its slot of the connection, so that an OR counts the distinct people of any range
    create table spend_slots (
      tenant_id uuid not null,
      connection_id uuid not null,
      slot int not null,
      identity int not null,
      primary key (tenant_id, connection_id, slot),
      unique (tenant_id, connection_id, identity),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    ${spendTable('spend_slots')}

    create table spend_active_days (
      tenant_id uuid not null,
      connection_id uuid not null,
      day date not null,
      active bit varying not null,
      primary key (tenant_id, connection_id, day),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    ${spendTable('spend_active_days')}

    -- units whose sums were made with other people in them; reports read people instead until the sums are made again
    create table spend_stale_units (
      tenant_id uuid not null,
      scope smallint not null check (scope in (1, 2)),
      unit_id uuid not null,
      version uuid not null,
      primary key (tenant_id, scope, unit_id)
    );
    ${spendTable('spend_stale_units', ['select'])}
  `;
}
