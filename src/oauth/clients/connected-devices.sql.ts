import { statement } from '../../platform/database/statement.js';

/** A terminal that a member connected. It stays connected while one of its tokens is valid. */
export interface ConnectedDeviceRow {
  id: string;
  memberId: string;
  memberName: string;
  memberEmail: string;
  /** The user agent and the network address of its request to connect. */
  program: string | null;
  address: string | null;
  scopes: string[];
  connectedAt: Date;
  /** When its last token was issued. */
  usedAt: Date;
  /** When its last token expires, unless it is refreshed. */
  expiresAt: Date;
}

/** Null selects the devices of all members, or all devices. */
export type DeviceSelection = [tenantId: string, clientId: string, memberId: string | null, deviceId: string | null];

const devices = `
  select g.grant_id as id, g.member_id as "memberId", m.name as "memberName", m.email as "memberEmail",
         g.payload -> 'device' ->> 'program' as program, g.payload -> 'device' ->> 'address' as address,
         string_to_array(t.scope, ' ') as scopes, g.created_at as "connectedAt", t.used_at as "usedAt",
         t.expires_at as "expiresAt"
  from oauth_rows g
  join members m on m.tenant_id = g.tenant_id and m.id = g.member_id
  cross join lateral (
    select max(created_at) as used_at, max(expires_at) as expires_at,
           (array_agg(payload ->> 'scope' order by created_at desc))[1] as scope
    from oauth_rows r
    where r.tenant_id = g.tenant_id and r.grant_id = g.grant_id and r.model in ('RefreshToken', 'AccessToken')
      and r.consumed_at is null and r.expires_at > now()
  ) t
  where g.tenant_id = $1 and g.model = 'Grant' and g.client_id = $2 and ($3::uuid is null or g.member_id = $3)
    and ($4::uuid is null or g.grant_id = $4) and t.expires_at is not null`;
/** The columns are null only in rows that are not grants. */
const neverNull = ['id', 'memberId'];

/** Newest first. */
export const selectDevices = statement<DeviceSelection, ConnectedDeviceRow>(`${devices} order by g.grant_id desc`, {
  neverNull,
});

export const selectDevicePage = statement<
  [...DeviceSelection, lastId: string | null, limit: number],
  ConnectedDeviceRow & { total: number }
>(
  `
  with connected as (${devices})
  select c.*, (select count(*)::int from connected) as total
  from connected c
  where $5::uuid is null or c.id < $5
  order by c.id desc limit $6`,
  { neverNull },
);
