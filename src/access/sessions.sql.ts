import { statement } from '../platform/database/statement.js';

export const activeSession = statement<[tenantId: string, id: string, idleSeconds: number], { id: string }>(`
  select id from sessions
  where tenant_id = $1 and id = $2 and expires_at > now() and used_at > now() - make_interval(secs => $3)`);
