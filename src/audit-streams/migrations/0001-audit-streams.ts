import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

export class AuditStreamsBaseline1800000001845 extends Baseline {
  protected readonly sql = `
    create table audit_streams (
      tenant_id uuid not null,
      id uuid not null,
      name text not null,
      kind text not null check (kind in ('otlp', 'syslog', 'webhook')),
      -- the host; the whole address can contain a credential
      target text not null,
      sealed_settings bytea not null,
      created_at timestamptz not null,
      paused_at timestamptz,
      -- the cursor: the position of the next event, and the size of the newest head that was sent
      position bigint not null,
      head_size bigint not null,
      sent_count bigint not null default 0,
      skipped_count bigint not null default 0,
      last_sent_at timestamptz,
      attempts int not null default 0,
      last_error text,
      last_error_at timestamptz,
      next_attempt_at timestamptz not null default now(),
      -- the process that sends
      lease_token uuid,
      lease_until timestamptz,
      primary key (tenant_id, id)
    );
    create index audit_streams_by_attempt on audit_streams (next_attempt_at) where paused_at is null;
    ${secureTenantTable('audit_streams', { system: ['select', 'update'] })}

    -- whether a stream has anything to send
    create policy system on audit_seals for select to cs_system using (true);
    grant select (tenant_id, position) on audit_seals to cs_system;
    create policy system on audit_heads for select to cs_system using (true);
    grant select (tenant_id, size) on audit_heads to cs_system;
  `;
}
