import type pg from 'pg';

export type SqlStatement = Pick<pg.QueryConfig, 'name' | 'text' | 'values'>;
export type SqlResult<R extends pg.QueryResultRow> = Pick<pg.QueryResult<R>, 'rows' | 'rowCount'>;

/** A connection, a pool, or the pipeline of a transaction. */
export interface Queryable {
  query<R extends pg.QueryResultRow>(statement: SqlStatement): Promise<SqlResult<R>>;
}
