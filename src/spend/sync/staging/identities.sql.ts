import { statement } from '../../../platform/database/statement.js';
import type { Day } from '../../../platform/time/day.js';
import type { IdentityKind, VendorIdentity } from '../../../people/vendor-identity.port.js';

const bulk = { roles: ['cs_bulk'] } as const;

/** Vendor identities of one connection. */

export interface StoredIdentity {
  id: number;
  hasEmail: boolean;
  hasVendorUserId: boolean;
  hasName: boolean;
  version: string | null;
  versionDay: Day | null;
}
type StoredIdentityRow = StoredIdentity & Pick<VendorIdentity, 'kind' | 'key'>;

const storedIdentityColumns = (i: string) => `${i}.id, ${i}.email is not null as "hasEmail",
  ${i}.vendor_user_id is not null as "hasVendorUserId", ${i}.name is not null as "hasName",
  ${i}.client_version as version, ${i}.client_version_day::text as "versionDay"`;

export const listStoredIdentities = statement<
  [tenantId: string, connectionId: string, limit: number],
  StoredIdentityRow
>(
  `
  select i.kind, i.key, ${storedIdentityColumns('i')} from spend_identities i where i.tenant_id = $1 and i.connection_id = $2 limit $3`,
  bulk,
);

export const findStoredIdentities = statement<
  [tenantId: string, connectionId: string, kinds: IdentityKind[], keys: string[]],
  StoredIdentity & {
    /** The position in `kinds` and `keys`, from 1. */
    at: number;
  }
>(
  `
  select wanted.at::int, ${storedIdentityColumns('i')}
  from unnest($3::text[], $4::text[]) with ordinality as wanted (kind, key, at)
  join spend_identities i on i.tenant_id = $1 and i.connection_id = $2 and i.kind = wanted.kind and i.key = wanted.key`,
  bulk,
);

export const insertIdentities = statement<
  [
    tenantId: string,
    connectionId: string,
    kinds: IdentityKind[],
    keys: string[],
    emails: (string | null)[],
    vendorUserIds: (string | null)[],
    names: (string | null)[],
    haveSeats: boolean[],
    roles: (string | null)[],
  ],
  StoredIdentityRow
>(
  `
  insert into spend_identities as i (tenant_id, connection_id, kind, key, email, vendor_user_id, name, has_seat, vendor_role,
    seat_since, is_ignored, first_seen)
  select $1, $2, kind, key, email, vendor_user_id, name, has_seat, role, case when has_seat then now() end, false, now()
  from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[], $9::text[])
    as new (kind, key, email, vendor_user_id, name, has_seat, role)
  returning i.kind, i.key, ${storedIdentityColumns('i')}`,
  bulk,
);

/** Stored values stay. */
export const addIdentityDetails = statement<
  [
    tenantId: string,
    ids: number[],
    emails: (string | null)[],
    vendorUserIds: (string | null)[],
    names: (string | null)[],
  ]
>(
  `
  update spend_identities i
  set email = coalesce(i.email, said.email), vendor_user_id = coalesce(i.vendor_user_id, said.vendor_user_id),
      name = coalesce(i.name, said.name)
  from unnest($2::int[], $3::text[], $4::text[], $5::text[]) as said (id, email, vendor_user_id, name)
  where i.tenant_id = $1 and i.id = said.id`,
  bulk,
);

export const updateClientVersions = statement<
  [tenantId: string, ids: number[], versions: (string | null)[], days: (Day | null)[]]
>(
  `
  update spend_identities i set client_version = seen.version, client_version_day = seen.day
  from unnest($2::int[], $3::text[], $4::date[]) as seen (id, version, day)
  where i.tenant_id = $1 and i.id = seen.id and (i.client_version_day is null or i.client_version_day <= seen.day)`,
  bulk,
);

export const findModels = statement<[tenantId: string, names: string[]], { id: number; name: string }>(
  'select id, name from spend_models where tenant_id = $1 and name = any ($2::text[])',
  bulk,
);
export const insertModels = statement<[tenantId: string, names: string[]]>(
  `
  insert into spend_models (tenant_id, name) select $1, name from unnest($2::text[]) as new (name)
  on conflict (tenant_id, name) do nothing`,
  bulk,
);
