/** A device authorization that is waiting for a decision. */
export interface PendingDeviceRow {
  payload: { params: { scope?: string }; deviceInfo: { ip?: string; ua?: string } };
  createdAt: Date;
}

const pendingDevice = `
  model = 'DeviceCode' and user_code_hash = $1 and expires_at > now() and consumed_at is null
  and not payload ? 'accountId' and not payload ? 'error'`;

export const findPendingDevice = {
  name: 'oauth-device-waiting',
  text: `select payload, created_at as "createdAt" from oauth_rows where ${pendingDevice}`,
};

/**
 * $2 the decision as properties of the library's model, $3 grant, $4 tenant, $5 member. Only the first decision is
 * stored.
 */
export const storeDeviceDecision = {
  name: 'oauth-device-decide',
  text: `update oauth_rows set payload = payload || $2, grant_id = $3, tenant_id = $4, member_id = $5 where ${pendingDevice}`,
};

/**
 * $1 hash of the device code, $2 minimum seconds between two polls. Returns whether it was too soon (RFC 8628, section
 * 3.5).
 */
export const recordDevicePoll = {
  name: 'oauth-device-poll',
  text: `
    with polled as (
      select coalesce(to_timestamp((payload ->> 'polledAt')::float8) > now() - make_interval(secs => $2), false) as "isSoon"
      from oauth_rows where model = 'DeviceCode' and id_hash = $1
    ),
    noted as (
      update oauth_rows set payload = payload || jsonb_build_object('polledAt', extract(epoch from now()))
      where model = 'DeviceCode' and id_hash = $1 and consumed_at is null
    )
    select "isSoon" from polled`,
};
