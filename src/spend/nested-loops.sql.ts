/**
 * For bulk statements outside of bulk connections, which always plan this way. The tables may have no statistics of the rows yet:
 * the planner would take each table for a short one, and compare every row of one with every row of the other. For the rest of
 * the transaction.
 */
export const disableNestedLoops = 'set local enable_nestloop = off';
export const resetNestedLoops = 'set local enable_nestloop = default';
