import { statement } from '../../platform/database/statement.js';

const bulk = { roles: ['cs_bulk'] } as const;

/** Updates only the seat holders that changed. */
export const assignSeats = statement<
  [
    tenantId: string,
    identities: number[],
    roles: (string | null)[],
    emails: (string | null)[],
    vendorUserIds: (string | null)[],
    names: (string | null)[],
  ]
>(
  `
  update spend_identities i
  set has_seat = true, seat_since = case when i.has_seat then i.seat_since else now() end, seat_until = null,
      vendor_role = m.role, email = coalesce(m.email, i.email), vendor_user_id = coalesce(m.vendor_user_id, i.vendor_user_id),
      name = coalesce(m.name, i.name)
  from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[]) as m (id, role, email, vendor_user_id, name)
  where i.tenant_id = $1 and i.id = m.id
    and (not i.has_seat or i.vendor_role is distinct from m.role or i.email is distinct from coalesce(m.email, i.email)
         or i.vendor_user_id is distinct from coalesce(m.vendor_user_id, i.vendor_user_id)
         or i.name is distinct from coalesce(m.name, i.name))`,
  bulk,
);

/** All others lose their seat and keep their history. */
export const releaseOtherSeats = statement<[tenantId: string, connectionId: string, seated: number[]]>(
  `
  update spend_identities i set has_seat = false, seat_until = now()
  where tenant_id = $1 and connection_id = $2 and has_seat
    and not exists (select from unnest($3::int[]) as seated (id) where seated.id = i.id)`,
  bulk,
);
