/**
 * A hundred thousand people are known, matched and counted before the database has statistics of them. It would take each table
 * for a short one then, and hold every row of one against every row of the other. For the rest of the transaction.
 */
export const joinByHash = 'set local enable_nestloop = off';
/** Rows of a hundred thousand people are joined and sorted without a file. For the rest of the transaction. */
export const inMemory = `set local work_mem = '32MB'`;
export const joinAsUsual = 'set local enable_nestloop = default';
