import { statement } from '../../src/platform/database/statement.js';
import type { Tx } from '../../src/platform/database/tx.js';

/** Runs SQL that only a test needs. Its types are not checked. */
export const runSql = <Row = object>(tx: Tx, text: string, params: unknown[] = []): Promise<Row[]> =>
  tx.run(statement<unknown[], object>(text), params) as Promise<Row[]>;
