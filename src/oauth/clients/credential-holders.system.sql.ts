import type { CredentialHolder } from '../../access/refused-credentials.service.js';
import { statement } from '../../platform/database/statement.js';

/* Find the holder of a credential, valid or not, for the audit record of a refusal. */

/** The holder is the product, and its name includes the member. For the command line it is the member. */
const holderOf = (model: string) =>
  statement<[hash: Buffer], CredentialHolder>(
    `
  select r.tenant_id as "tenantId", coalesce(c.id, m.id) as id, coalesce(c.name || ', for ' || m.name, m.name) as name
  from oauth_rows r
  join members m on m.tenant_id = r.tenant_id and m.id = r.member_id
  left join oauth_clients c on c.tenant_id = r.tenant_id and c.id::text = r.client_id
  where r.model = '${model}' and r.id_hash = $1`,
    { neverNull: ['tenantId'] },
  );

export const holderOfAccessToken = holderOf('AccessToken');
export const holderOfRefreshToken = holderOf('RefreshToken');

export const holderOfClientSecret = statement<[hash: Buffer], CredentialHolder>(`
  select c.tenant_id as "tenantId", c.id, c.name
  from oauth_client_secrets s
  join oauth_clients c on c.tenant_id = s.tenant_id and c.id = s.client
  where s.hash = $1`);
