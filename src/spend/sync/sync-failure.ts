import { bulkStatementSeconds } from '../../platform/database/addresses.js';
import { databaseErrorOf } from '../../platform/database/database-error.js';
import { VendorError } from '../vendor.js';

/** Why a sync stopped, for the log and for people. */
export interface SyncFailure {
  error: unknown;
  step?: string;
  code: string;
  /** What failed and what to do. It never holds the text of a foreign error, which may hold values of rows. */
  detail: string;
}

const queryCanceled = '57014';
const resourceExhausted = new Set(['53100', '53200', '53300']); // disk, memory, connections

const storedDaysHint = 'Stored days are kept. The next attempt continues with the missing days.';

export function syncFailure(error: unknown, step = 'starting the sync'): SyncFailure {
  if (error instanceof VendorError) return { error, step, code: error.code, detail: error.message };
  const sqlState = databaseErrorOf(error)?.code;
  if (sqlState === queryCanceled)
    return {
      error,
      step,
      code: 'database_timeout',
      detail: `The database canceled a statement while ${step}, usually because it ran longer than ${bulkStatementSeconds / 60} minutes. ${storedDaysHint} If it fails again, ask the operator to check the load of the database.`,
    };
  if (sqlState && resourceExhausted.has(sqlState))
    return {
      error,
      step,
      code: 'database_full',
      detail: `The database has no disk space, memory or connections left; this happened while ${step}. ${storedDaysHint} Ask the operator to free resources.`,
    };
  return {
    error,
    step,
    code: 'internal',
    detail: `An internal error stopped the sync while ${step}. ${storedDaysHint} If it fails again, ask the operator to look for "a spend sync failed" in the server log.`,
  };
}
