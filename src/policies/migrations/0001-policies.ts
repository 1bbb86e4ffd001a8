import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

export class PoliciesBaseline1800000000600 extends Baseline {
  protected readonly sql = `
    -- revisions are only added, never changed: the text that decided on a call last year remains available
    create table policy_revisions (
      tenant_id uuid not null references tenants (id),
      configuration_id uuid not null,
      revision int not null check (revision > 0),
      text text not null,
      text_hash bytea not null,
      published_by uuid,
      publisher text not null,
      published_at timestamptz not null,
      primary key (tenant_id, configuration_id, revision)
    );
    ${secureTenantTable('policy_revisions', { app: ['select', 'insert'] })}

    create table policy_drafts (
      tenant_id uuid not null references tenants (id),
      configuration_id uuid not null,
      text text not null,
      based_on int not null,
      saved_by uuid,
      saver text not null,
      saved_at timestamptz not null,
      primary key (tenant_id, configuration_id)
    );
    ${secureTenantTable('policy_drafts')}
  `;
}
