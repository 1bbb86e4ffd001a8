import { Baseline } from '../../platform/database/baseline.js';
import { includeInBackup, systemTable, secureTenantTable } from '../../platform/database/tenant-table.js';

/** Organizations, their people, and how they sign in. Secrets are stored as their SHA-256, passwords with argon2id. */
export class AccessBaseline1800000000100 extends Baseline {
  protected readonly sql = `
    create table tenants (
      id uuid primary key,
      slug text not null unique,
      name text not null,
      requires_second_factor boolean not null,
      created_at timestamptz not null,
      paused_at timestamptz
    );
    -- its own id takes the place of tenant_id
    ${systemTable('tenants', ['select'])}
    create policy tenant on tenants to cs_app using (id = nullif(current_setting('app.tenant', true), '')::uuid);
    grant select, insert, update on tenants to cs_app;
    ${includeInBackup('tenants')}

    create table members (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      email text not null,
      name text not null,
      roles text[] not null,
      status text not null check (status in ('active', 'suspended', 'removed')),
      password_hash text,
      wants_second_factor boolean not null,
      joined_at timestamptz not null,
      admin_since timestamptz check ((admin_since is not null) = ('admin' = any (roles))),
      primary key (tenant_id, id),
      unique (tenant_id, email)
    );
    ${secureTenantTable('members', {
      app: ['select', 'insert', 'update'],
      bulk: ['select (tenant_id, id, email, name, status)'],
      system: ['select'],
    })}

    create table groups (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      created_at timestamptz not null,
      primary key (tenant_id, id)
    );
    create unique index groups_by_name on groups (tenant_id, lower(name));
    ${secureTenantTable('groups', { system: ['select'] })}

    create table group_members (
      tenant_id uuid not null,
      group_id uuid not null,
      member_id uuid not null,
      joined_at timestamptz not null,
      primary key (tenant_id, group_id, member_id),
      foreign key (tenant_id, group_id) references groups (tenant_id, id) on delete cascade,
      foreign key (tenant_id, member_id) references members (tenant_id, id)
    );
    create index group_members_by_member on group_members (tenant_id, member_id);
    ${secureTenantTable('group_members', { app: ['select', 'insert', 'delete'], system: ['select'] })}

    create table sessions (
      tenant_id uuid not null,
      id uuid not null,
      token_hash bytea not null,
      member_id uuid not null,
      user_agent text,
      created_at timestamptz not null,
      used_at timestamptz not null,
      fresh_at timestamptz,
      expires_at timestamptz not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, member_id) references members (tenant_id, id)
    );
    create unique index sessions_by_token on sessions (token_hash, tenant_id);
    create index sessions_by_member on sessions (tenant_id, member_id);
    ${secureTenantTable('sessions', { system: ['select', 'update (used_at)', 'delete'] })}

    -- links for set-up, invitation, password reset and sign-in; a set-up link is older than its tenant, so there is no reference
    create table links (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('setup', 'invitation', 'reset', 'sign-in')),
      token_hash bytea not null,
      member_id uuid,
      email text,
      name text,
      roles text[],
      group_ids uuid[],
      removes_passkeys boolean not null,
      created_by uuid,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz,
      revoked_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, member_id) references members (tenant_id, id),
      check ((kind = 'setup' and member_id is null) or (kind = 'invitation' and email is not null)
             or (kind in ('reset', 'sign-in') and member_id is not null))
    );
    create unique index links_by_token on links (token_hash, tenant_id);
    ${secureTenantTable('links', { app: ['select', 'insert', 'update'], system: ['select', 'update (used_at)', 'delete'] })}

    create table admin_tokens (
      tenant_id uuid not null,
      id uuid not null,
      name text not null,
      token_hash bytea not null,
      hint text not null,
      created_by uuid not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz,
      revoked_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, created_by) references members (tenant_id, id)
    );
    create unique index admin_tokens_by_token on admin_tokens (token_hash, tenant_id);
    ${secureTenantTable('admin_tokens', { app: ['select', 'insert', 'update'], system: ['select', 'update (used_at)'] })}

    create table tenant_keys (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ array['documents', 'estate']),
      token_hash bytea not null,
      hint text not null,
      created_by uuid not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      used_at timestamptz,
      revoked_at timestamptz,
      primary key (tenant_id, id)
    );
    create unique index tenant_keys_by_token on tenant_keys (token_hash, tenant_id);
    ${secureTenantTable('tenant_keys', { app: ['select', 'insert', 'update'], system: ['select', 'update (used_at)'] })}

    -- sign-in with OpenID Connect
    create table sign_in_providers (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      issuer text not null,
      client_id text not null,
      client_secret bytea,
      email_domains text[] not null check (cardinality(email_domains) > 0),
      creates_members boolean not null,
      created_by uuid,
      created_at timestamptz not null,
      disabled_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, issuer)
    );
    ${secureTenantTable('sign_in_providers', { system: ['select'] })}

    create table sign_in_provider_groups (
      tenant_id uuid not null,
      provider_id uuid not null,
      group_id uuid not null,
      primary key (tenant_id, provider_id, group_id),
      foreign key (tenant_id, provider_id) references sign_in_providers (tenant_id, id) on delete cascade,
      foreign key (tenant_id, group_id) references groups (tenant_id, id)
    );
    create index sign_in_provider_groups_by_group on sign_in_provider_groups (tenant_id, group_id);
    ${secureTenantTable('sign_in_provider_groups', { app: ['select', 'insert', 'delete'] })}

    -- by issuer, not by provider: an identity stays the same when its provider is removed and added again
    create table identities (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      issuer text not null,
      subject text not null,
      email text not null,
      linked_at timestamptz not null,
      used_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, issuer, subject),
      foreign key (tenant_id, member_id) references members (tenant_id, id)
    );
    create index identities_by_member on identities (tenant_id, member_id);
    ${secureTenantTable('identities')}

    create table passkeys (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      credential_id bytea not null,
      public_key bytea not null,
      counter bigint not null,
      transports text[] not null,
      is_synced boolean not null,
      name text not null,
      created_at timestamptz not null,
      used_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, credential_id),
      foreign key (tenant_id, member_id) references members (tenant_id, id)
    );
    create index passkeys_by_member on passkeys (tenant_id, member_id);
    -- a passkey identifies its member before the tenant is known
    create index passkeys_by_credential on passkeys (credential_id, member_id);
    ${secureTenantTable('passkeys', { system: ['select'] })}

    -- sign-in challenges and throttled sign-in attempts: there is no tenant yet, so no tenant reaches them
    create table challenges (
      hash bytea primary key,
      purpose text not null,
      browser bytea not null,
      context jsonb not null,
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    create index challenges_by_expiry on challenges (expires_at);
    ${systemTable('challenges', ['select', 'insert', 'delete'])}

    create table attempts (
      bucket bytea primary key,
      count int not null,
      since timestamptz not null
    );
    ${systemTable('attempts', ['select', 'insert', 'update', 'delete'])}

    -- Which members are independent of each other: who could have used whose account, and who vouched for whom. These facts
    -- outlive links, providers and members, so there are no foreign keys.
    create table introductions (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      kind text not null check (kind in ('invitation', 'reset', 'provider', 'reactivation')),
      made_by uuid,
      issuer text,
      made_at timestamptz not null,
      at timestamptz not null,
      primary key (tenant_id, id),
      check ((kind = 'provider') = (issuer is not null)),
      check ((kind = 'provider') = (made_by is null))
    );
    create index introductions_by_member on introductions (tenant_id, member_id);
    ${secureTenantTable('introductions', { app: ['select', 'insert'] })}

    create table sign_in_provider_changes (
      tenant_id uuid not null,
      id uuid not null,
      issuer text not null,
      changed_by uuid not null,
      at timestamptz not null,
      primary key (tenant_id, id)
    );
    create index sign_in_provider_changes_by_issuer on sign_in_provider_changes (tenant_id, issuer);
    ${secureTenantTable('sign_in_provider_changes', { app: ['select', 'insert'] })}

    create table member_status_changes (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      change text not null check (change in ('suspended', 'reactivated', 'removed')),
      changed_by uuid,
      at timestamptz not null,
      primary key (tenant_id, id)
    );
    create index member_status_changes_by_time on member_status_changes (tenant_id, at);
    ${secureTenantTable('member_status_changes', { app: ['select', 'insert'] })}

    create table vouches (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      made_by uuid check (made_by <> member_id),
      at timestamptz not null,
      primary key (tenant_id, id)
    );
    create index vouches_by_member on vouches (tenant_id, member_id);
    ${secureTenantTable('vouches', { app: ['select', 'insert'] })}

    -- whether an organization accepts reviewers whom the requester introduced; needs two administrators
    create table introduced_reviewers (
      tenant_id uuid primary key references tenants (id),
      proposed_by uuid not null,
      proposed_at timestamptz not null,
      confirmed_by uuid check (confirmed_by <> proposed_by),
      confirmed_at timestamptz,
      check ((confirmed_by is null) = (confirmed_at is null))
    );
    ${secureTenantTable('introduced_reviewers')}
  `;
}
