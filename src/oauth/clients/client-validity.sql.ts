import { statement } from '../../platform/database/statement.js';

export interface ClientValidityRow {
  isRevoked: boolean;
  isDisabled: boolean;
  isGranted: boolean;
}

/** Without `grantId`, any grant of the member to the client counts. */
export const selectClientValidity = statement<
  [tenantId: string, clientId: string | undefined, memberId: string | undefined, grantId: string | null],
  ClientValidityRow
>(
  `
    select c.revoked_at is not null as "isRevoked", c.disabled_at is not null as "isDisabled",
           exists (
             select 1 from oauth_rows g
             where g.model = 'Grant' and g.tenant_id = c.tenant_id and g.member_id = $3 and g.client_id = c.id::text
               and ($4::uuid is null or g.grant_id = $4) and g.expires_at > now()
           ) as "isGranted"
    from oauth_clients c
    where c.tenant_id = $1 and c.id = $2`,
  { name: 'oauth-client-validity' },
);

/** Whether a terminal of the member is still connected. */
export const selectDeviceValidity = statement<
  [tenantId: string, grantId: string | undefined, memberId: string | undefined],
  { isConnected: boolean }
>(
  `
    select exists (
      select 1 from oauth_rows
      where model = 'Grant' and tenant_id = $1 and grant_id = $2 and member_id = $3 and expires_at > now()
    ) as "isConnected"`,
  { name: 'oauth-device-validity' },
);
