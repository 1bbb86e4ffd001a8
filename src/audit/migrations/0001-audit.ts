import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** The audit log. Events outlive their subjects, so there are no foreign keys. sql/append-only.sql prevents changes. */
export class AuditBaseline1800000000200 extends Baseline {
  protected readonly sql = `
    create table audit_events (
      tenant_id uuid not null,
      id uuid not null,
      at timestamptz not null,
      kind text not null,
      actor jsonb not null,
      subject jsonb,
      detail jsonb not null,
      request_id uuid,
      primary key (tenant_id, id)
    );
    create index audit_events_by_kind on audit_events (tenant_id, kind, id);
    create index audit_events_by_actor on audit_events (tenant_id, coalesce(actor ->> 'memberId', actor ->> 'agentId'), id);
    create index audit_events_by_subject on audit_events (tenant_id, (subject ->> 'id'), id);
    ${secureTenantTable('audit_events', { app: ['select', 'insert'], bulk: ['insert'], system: ['select', 'insert'] })}
  `;
}
