import { statement } from '../platform/database/statement.js';

/** Takes one use. No row: the grant is used up, has expired or has ended. Concurrent uses wait for each other here. */
export const takeTaskGrantUse = statement<[tenantId: string, id: string], { uses: number }>(
  `update task_grants set uses = uses + 1
   where tenant_id = $1 and id = $2 and state = 'active' and uses < max_uses and expires_at > clock_timestamp()
   returning uses`,
);

/** For a use taken in the same transaction, whose call was not stored. */
export const returnTaskGrantUse = statement<[tenantId: string, id: string]>(
  'update task_grants set uses = uses - 1 where tenant_id = $1 and id = $2',
);
