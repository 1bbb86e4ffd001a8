import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Configurations, the agents that use them, and the agents' keys. */
export class ConfigurationsBaseline1800000000700 extends Baseline {
  protected readonly sql = `
    create table configurations (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      description text not null,
      model_connection_id uuid,
      unprefixed boolean not null,
      revision int not null,
      paused_at timestamptz,
      created_at timestamptz not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, model_connection_id) references connections (tenant_id, id)
    );
    create unique index configurations_by_name on configurations (tenant_id, lower(name));
    ${secureTenantTable('configurations', { app: ['select', 'insert', 'update'], system: ['select'] })}

    create table configuration_connections (
      tenant_id uuid not null,
      configuration_id uuid not null,
      connection_id uuid not null,
      primary key (tenant_id, configuration_id, connection_id),
      foreign key (tenant_id, configuration_id) references configurations (tenant_id, id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    create index configuration_connections_by_connection on configuration_connections (tenant_id, connection_id);
    ${secureTenantTable('configuration_connections', { app: ['select', 'insert', 'delete'], system: ['select'] })}

    create table configuration_groups (
      tenant_id uuid not null,
      configuration_id uuid not null,
      group_id uuid not null,
      primary key (tenant_id, configuration_id, group_id),
      foreign key (tenant_id, configuration_id) references configurations (tenant_id, id),
      foreign key (tenant_id, group_id) references groups (tenant_id, id)
    );
    create index configuration_groups_by_group on configuration_groups (tenant_id, group_id);
    ${secureTenantTable('configuration_groups', { app: ['select', 'insert', 'delete'], system: ['select'] })}

    create table agent_identities (
      tenant_id uuid not null,
      id uuid not null,
      configuration_id uuid not null,
      name text not null,
      responsible_member_id uuid not null,
      paused_at timestamptz,
      created_at timestamptz not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, configuration_id) references configurations (tenant_id, id),
      foreign key (tenant_id, responsible_member_id) references members (tenant_id, id)
    );
    create unique index agent_identities_by_name on agent_identities (tenant_id, configuration_id, lower(name));
    create index agent_identities_by_responsible on agent_identities (tenant_id, responsible_member_id);
    ${secureTenantTable('agent_identities', { app: ['select', 'insert', 'update'], system: ['select'] })}

    -- token_hash authenticates, sealed is for revealing the key; both stay after revocation, since records name the key
    create table a2a_keys (
      tenant_id uuid not null,
      id uuid not null,
      agent_id uuid not null,
      token_hash bytea not null,
      sealed bytea not null,
      hint text not null,
      created_by uuid,
      created_at timestamptz not null,
      expires_at timestamptz,
      paused_at timestamptz,
      replaced_at timestamptz,
      revoked_at timestamptz,
      used_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, agent_id) references agent_identities (tenant_id, id),
      foreign key (tenant_id, created_by) references members (tenant_id, id)
    );
    create unique index a2a_keys_by_token on a2a_keys (token_hash, tenant_id);
    create index a2a_keys_by_agent on a2a_keys (tenant_id, agent_id);
    ${secureTenantTable('a2a_keys', { app: ['select', 'insert', 'update'], system: ['select', 'update (used_at)'] })}

    create table key_reveals (
      tenant_id uuid not null,
      id uuid not null,
      key_id uuid not null,
      member_id uuid not null,
      revealed_at timestamptz not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, key_id) references a2a_keys (tenant_id, id),
      foreign key (tenant_id, member_id) references members (tenant_id, id)
    );
    create index key_reveals_by_key on key_reveals (tenant_id, key_id);
    ${secureTenantTable('key_reveals', { app: ['select', 'insert'] })}
  `;
}
