import { statement } from '../../platform/database/statement.js';
import type { Day } from '../../platform/time/day.js';

/** People moved, or a tally can be added. */
export const tenantsWithOutdatedRollups = statement<[lastTally: Day], { tenantId: string }>(`
  select tenant_id as "tenantId" from spend_stale_units
  union select tenant_id from spend_tally_marks where settled_day is null or settled_day < $1`);
