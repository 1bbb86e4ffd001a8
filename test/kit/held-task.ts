import { newId } from '../../src/platform/crypto/ids.js';
import { DatabaseService } from '../../src/platform/database/database.service.js';
import type { GateFixture } from './gate-fixture.js';
import { runSql } from './run-sql.js';

export interface HeldTask {
  id: string;
  leaseEpoch: number;
  tainted: boolean;
}

/** A task that the test works on: no process claims it before its lease expires. Its approved calls wait for the test. */
export async function holdTask(fixture: GateFixture): Promise<HeldTask> {
  const id = newId();
  await fixture.get(DatabaseService).tenant(fixture.organization.system, (tx) =>
    runSql(
      tx,
      `insert into tasks (tenant_id, id, owner_id, external_id, configuration_id, key_id, principal, state, status, last_event, items, turns,
                          is_tainted, is_woken, due_at, lease_epoch, attempts, worked_ms, created_at, updated_at)
       values ($1, $2, $3, $6, $4, $5, '{}', 'working', '{}', 1, 1, 0, false, false, now() + interval '1 hour', 1, 1, 0, now(), now())`,
      [fixture.organization.tenant.id, id, fixture.agentId, fixture.configurationId, fixture.agent.keyId, id],
    ),
  );
  return { id, leaseEpoch: 1, tainted: false };
}
