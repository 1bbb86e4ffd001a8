import { advisoryLock } from '../platform/database/advisory-lock.js';
import { statement } from '../platform/database/statement.js';
import type { Tenant } from './tenant.entity.js';

/** Finds the organization before anyone is signed in. */
const columns =
  'id, slug, name, created_at as "createdAt", paused_at as "pausedAt", requires_second_factor as "requiresSecondFactor"';

export const tenantBySlug = statement<[slug: string], Tenant>(`select ${columns} from tenants where slug = $1`);

/** At most two: enough to tell whether there is exactly one. */
export const firstTenants = statement<[], Tenant>(`select ${columns} from tenants order by id limit 2`);

/** Serializes the creation of the first organization. */
export const lockSetUp = advisoryLock(`hashtext('countersign set-up')`);

export const claimSetUpLinks = statement<[tokenHash: Buffer], { tenantId: string; isThis: boolean }>(`
  update links set used_at = now()
  where kind = 'setup' and used_at is null and expires_at > now()
  returning tenant_id as "tenantId", token_hash = $1 as "isThis"`);
