import type { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { QueueService } from '../platform/queue/queue.service.js';
import { systemPrincipal, type Principal } from '../principal/principal.js';

export interface TenantJob {
  name: string;
  /** The actor of its audit events. */
  actor: string;
  tickSeconds: number;
  /** The tenants that need a run. */
  listTenants: (tx: Tx) => Promise<{ tenantId: string }[]>;
  run: (principal: Principal, signal: AbortSignal) => Promise<void>;
}

/** Starts a job for each tenant that needs one, at every tick. A tenant has at most one job, which is not repeated. */
export function scheduleTenantJob(
  queue: QueueService,
  database: DatabaseService,
  { name, actor, tickSeconds, listTenants, run }: TenantJob,
): void {
  queue.handle(name, ({ tenantId }, signal) => run(systemPrincipal(String(tenantId), actor), signal));
  queue.every(`${name}-due`, tickSeconds, () =>
    database.system(name, async (tx) => {
      for (const { tenantId } of await listTenants(tx))
        await queue.add(tx, name, { tenantId }, { key: `${name}:${tenantId}`, maxAttempts: 1 });
    }),
  );
}
