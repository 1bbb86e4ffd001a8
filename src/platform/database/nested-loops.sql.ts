import { statement } from './statement.js';

/**
 * For bulk statements outside of bulk connections, which always have this setting. Without statistics of new rows, the
 * planner assumes small tables and compares every row of one with every row of another. Applies to the rest of the
 * transaction.
 */
export const disableNestedLoops = statement('set local enable_nestloop = off');
export const resetNestedLoops = statement('set local enable_nestloop = default');
