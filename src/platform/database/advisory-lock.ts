import { type Statement, statement, type StatementOptions } from './statement.js';

/** Locks until the transaction ends. `key`: one SQL expression of type bigint, or two of type integer. */
export const advisoryLock = <Params extends readonly unknown[] = []>(
  key: string,
  options?: StatementOptions,
): Statement<Params, { pg_advisory_xact_lock: unknown }> => statement(`select pg_advisory_xact_lock(${key})`, options);

/** Several transactions can hold it at the same time, but not together with `advisoryLock`. */
export const sharedAdvisoryLock = <Params extends readonly unknown[] = []>(
  key: string,
  options?: StatementOptions,
): Statement<Params, { pg_advisory_xact_lock_shared: unknown }> =>
  statement(`select pg_advisory_xact_lock_shared(${key})`, options);
