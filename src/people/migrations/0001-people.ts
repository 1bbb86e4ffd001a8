import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

const all = ['select', 'insert', 'update', 'delete'] as const;

/** Also accessible to `cs_bulk`: syncs store and match identities. */
const peopleTable = (table: string): string => secureTenantTable(table, { app: [...all], bulk: [...all] });

/** People, their identities at vendors, their groups and cost centres, and who may see individuals. */
export class PeopleBaseline1800000000350 extends Baseline {
  protected readonly sql = `
    ---- people and their identities at vendors

    create table spend_units (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('group', 'cost_centre')),
      name text not null,
      primary key (tenant_id, id),
      unique (tenant_id, kind, name)
    );
    ${peopleTable('spend_units')}

    create table spend_people (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid,
      email text,
      name text not null,
      pseudonym text not null,
      is_service_account boolean not null,
      group_id uuid,
      cost_centre_id uuid,
      removed_at timestamptz,
      created_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, member_id),
      foreign key (tenant_id, member_id) references members (tenant_id, id),
      foreign key (tenant_id, group_id) references spend_units (tenant_id, id),
      foreign key (tenant_id, cost_centre_id) references spend_units (tenant_id, id),
      check (is_service_account or email is not null)
    );
    create index spend_people_by_name on spend_people (tenant_id, name, id);
    create index spend_people_by_group on spend_people (tenant_id, group_id);
    create index spend_people_by_cost_centre on spend_people (tenant_id, cost_centre_id);
    ${peopleTable('spend_people')}

    -- every address of a person, the person's own included, is theirs at all vendors; a login or a number only at its vendor
    create table spend_aliases (
      tenant_id uuid not null,
      kind text not null check (kind in ('email', 'login', 'vendor_user_id', 'service_account', 'api_key')),
      vendor text not null check ((kind = 'email') = (vendor = '')),
      key text not null,
      person_id uuid not null,
      created_at timestamptz not null,
      primary key (tenant_id, kind, vendor, key),
      foreign key (tenant_id, person_id) references spend_people (tenant_id, id)
    );
    create index spend_aliases_by_person on spend_aliases (tenant_id, person_id);
    ${peopleTable('spend_aliases')}

    -- parts of names and addresses, for suggestions of matches; many, and written with the person, so there is no foreign key
    create table spend_words (
      tenant_id uuid not null,
      word text not null,
      person_id uuid not null,
      primary key (tenant_id, word, person_id)
    );
    ${peopleTable('spend_words')}

    -- client_version changes often: the fill factor leaves room for it in the same page
    create table spend_identities (
      tenant_id uuid not null,
      id int generated always as identity,
      connection_id uuid not null,
      kind text not null check (kind in ('email', 'login', 'vendor_user_id', 'service_account', 'api_key', 'unattributed')),
      key text not null,
      email text,
      vendor_user_id text,
      name text,
      vendor_role text,
      client_version text,
      client_version_day date,
      person_id uuid,
      matched_by text check (matched_by in ('email', 'alias', 'vendor_id', 'person')),
      unmatched_at timestamptz,
      is_ignored boolean not null,
      has_seat boolean not null,
      seat_since timestamptz,
      seat_until timestamptz,
      first_seen timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, connection_id, kind, key),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id),
      foreign key (tenant_id, person_id) references spend_people (tenant_id, id),
      check ((person_id is null) = (matched_by is null))
    ) with (fillfactor = 75);
    create index spend_identities_by_person on spend_identities (tenant_id, person_id);
    create index spend_identities_by_vendor_id on spend_identities (tenant_id, vendor_user_id, connection_id);
    ${peopleTable('spend_identities')}

    ---- who may see individuals

    -- whose individual figures an analyst sees: those of a group, or everyone's where unit_id is null
    create table spend_views (
      tenant_id uuid not null,
      member_id uuid not null,
      unit_id uuid,
      granted_at timestamptz not null,
      unique nulls not distinct (tenant_id, member_id, unit_id),
      foreign key (tenant_id, member_id) references members (tenant_id, id),
      foreign key (tenant_id, unit_id) references spend_units (tenant_id, id)
    );
    ${peopleTable('spend_views')}

    create table spend_settings (
      tenant_id uuid not null primary key references tenants (id),
      shows_pseudonyms boolean not null,
      -- numbers people and identities where pseudonyms are shown
      pseudonym_key bytea not null default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))
    );
    ${peopleTable('spend_settings')}
  `;
}
