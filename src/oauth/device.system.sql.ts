import { statement } from '../platform/database/statement.js';

/** A device authorization that is waiting for a decision. */
export interface PendingDeviceRow {
  payload: { params: { scope?: string }; deviceInfo: { ip?: string; ua?: string } };
  createdAt: Date;
}

export type DeviceOwner = [grantId: string | null, tenantId: string | null, memberId: string | null];

const pendingDevice = `
  model = 'DeviceCode' and user_code_hash = $1 and expires_at > now() and consumed_at is null
  and not payload ? 'accountId' and not payload ? 'error'`;

export const findPendingDevice = statement<[userCodeHash: Buffer], PendingDeviceRow>(
  `select payload, created_at as "createdAt" from oauth_rows where ${pendingDevice}`,
  { name: 'oauth-device-pending' },
);

/** `decision`: properties of the library's model. Only the first decision is stored. */
export const storeDeviceDecision = statement<[userCodeHash: Buffer, decision: object, ...owner: DeviceOwner]>(
  `update oauth_rows set payload = payload || $2, grant_id = $3, tenant_id = $4, member_id = $5 where ${pendingDevice}`,
  { name: 'oauth-device-decide' },
);

/** What people recognize the device by, in lists of devices. */
export const storeGrantDevice = statement<[grantId: string, device: object]>(
  `update oauth_rows set payload = payload || jsonb_build_object('device', $2::jsonb) where model = 'Grant' and grant_id = $1`,
  { name: 'oauth-grant-device' },
);

/** Returns whether it was too soon (RFC 8628, section 3.5). */
export const recordDevicePoll = statement<[deviceCodeHash: Buffer, minSecondsBetween: number], { isSoon: boolean }>(
  `
    with polled as (
      select coalesce(to_timestamp((payload ->> 'polledAt')::float8) > now() - make_interval(secs => $2), false) as "isSoon"
      from oauth_rows where model = 'DeviceCode' and id_hash = $1
    ),
    recorded as (
      update oauth_rows set payload = payload || jsonb_build_object('polledAt', extract(epoch from now()))
      where model = 'DeviceCode' and id_hash = $1 and consumed_at is null
    )
    select "isSoon" from polled`,
  { name: 'oauth-device-poll' },
);
