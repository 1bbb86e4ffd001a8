import type { CredentialHolder } from '../access/refused-credentials.service.js';
import { statement } from '../platform/database/statement.js';

/** One prepared statement authenticates every A2A request. Its result is never cached. */
export interface A2aKeyRow {
  tokenHash: Buffer;
  tenantId: string;
  keyId: string;
  agentId: string;
  agent: string;
  configurationId: string;
  isPaused: boolean;
  isTenantPaused: boolean;
  isAttended: boolean;
}

/** Updates the last use at most once a minute. */
export const a2aKeyByToken = statement<[hashes: readonly Buffer[]], A2aKeyRow>(
  `
    with used as (
      update a2a_keys set used_at = now()
      where token_hash = any($1::bytea[]) and revoked_at is null and (expires_at is null or expires_at > now())
        and (used_at is null or used_at < now() - interval '1 minute')
    )
    select k.token_hash as "tokenHash", k.tenant_id as "tenantId", k.id as "keyId", a.id as "agentId", a.name as agent,
           a.configuration_id as "configurationId",
           k.paused_at is not null or a.paused_at is not null as "isPaused",
           t.paused_at is not null as "isTenantPaused",
           m.status = 'active' as "isAttended"
    from a2a_keys k
    join agent_identities a on a.tenant_id = k.tenant_id and a.id = k.agent_id
    join members m on m.tenant_id = a.tenant_id and m.id = a.responsible_member_id
    join tenants t on t.id = k.tenant_id
    where k.token_hash = any($1::bytea[]) and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
  { name: 'a2a-key-by-token' },
);

/** Finds the holder of a key, valid or not, for the audit record of a refusal. */
export const holderOfA2aKey = statement<[hash: Buffer], CredentialHolder>(`
  select k.tenant_id as "tenantId", k.id, a.name
  from a2a_keys k
  join agent_identities a on a.tenant_id = k.tenant_id and a.id = k.agent_id
  where k.token_hash = $1`);
