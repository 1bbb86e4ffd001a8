import pg from 'pg';

export type SqlStatement = Pick<pg.QueryConfig, 'name' | 'text' | 'values'>;
export type SqlResult<R extends pg.QueryResultRow> = Pick<pg.QueryResult<R>, 'rows' | 'rowCount'>;

/** A pool, or a transaction. */
export interface Queryable {
  query<R extends pg.QueryResultRow>(statement: SqlStatement | string, values?: unknown[]): Promise<SqlResult<R>>;
}

/** The part of `pg.Query` that the client uses and its types omit. */
interface PgQuery {
  /** Returns an error if the query was not sent. */
  submit(connection: pg.Connection): Error | null;
  name?: string;
  text: string;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
  handleReadyForQuery(connection: pg.Connection): void;
  handleError(error: Error, connection: pg.Connection): void;
}
interface PgConnection extends pg.Connection {
  submittedNamedStatements: Record<string, string>;
  sync(): void;
}

/**
 * Statements that share one round trip. The database executes them in order. If it rejects one, it skips the rest, and
 * all of them fail. (PostgreSQL, "Pipelining" in the extended query protocol: one Sync for all.)
 */
export class PipelineBatch implements pg.Submittable {
  private readonly queries: PgQuery[] = [];
  private readonly completion = Promise.withResolvers<boolean>();
  private completedCount = 0;
  private failure: Error | undefined;

  /** Resolves after the round trip: true if all statements were executed. */
  get isDone(): Promise<boolean> {
    return this.completion.promise;
  }

  add<R extends pg.QueryResultRow>(statement: SqlStatement): Promise<SqlResult<R>> {
    return new Promise<SqlResult<R>>((resolve, reject) => {
      const callback = (error: Error | null | undefined, result: unknown) => {
        if (error) reject((this.failure = error));
        else resolve(result as SqlResult<R>);
      };
      this.queries.push(createPgQuery(statement, callback));
    });
  }

  /** Called by the client. */
  submit(connection: pg.Connection): void {
    const pieces: Uint8Array[] = [];
    const { stream } = connection;
    const bufferingConnection = Object.create(connection, {
      stream: { value: { writable: stream.writable, write: (piece: Uint8Array) => pieces.push(piece) } },
      sync: { value: () => undefined },
    }) as PgConnection;
    for (const query of this.queries) {
      const refusal = query.submit(bufferingConnection);
      if (refusal) this.failure = refusal;
    }
    // nothing was sent, but `pg` already recorded named statements as prepared on this connection
    if (this.failure) return void stream.destroy(this.failure);
    (connection as PgConnection).sync.call(bufferingConnection);
    stream.write(Buffer.concat(pieces));
  }

  /** The client reads these to record the named statements that the connection has prepared. */
  get name(): string | undefined {
    return this.current?.name;
  }
  get text(): string | undefined {
    return this.current?.text;
  }

  handleRowDescription(message: unknown): void {
    this.current?.handleRowDescription(message);
  }
  handleDataRow(message: unknown): void {
    this.current?.handleDataRow(message);
  }
  handleCommandComplete(message: unknown, connection: pg.Connection): void {
    this.current?.handleCommandComplete(message, connection);
    this.completedCount += 1;
  }
  handleReadyForQuery(connection: pg.Connection): void {
    for (const query of this.queries) query.handleReadyForQuery(connection);
    this.completion.resolve(true);
  }

  handleError(error: Error, connection: PgConnection): void {
    // the database never parsed the statements after the failed one
    for (const { name } of this.queries.slice(this.completedCount))
      if (name) delete connection.submittedNamedStatements[name];
    for (const query of this.queries) query.handleError(error, connection);
    this.completion.resolve(false);
  }

  private get current(): PgQuery | undefined {
    return this.queries[this.completedCount];
  }
}

type QueryCallback = (error: Error | null | undefined, result: unknown) => void;

/** `pg` copies a query object property by property, which is a measurable cost for every statement. */
const createPgQuery = ({ name, text, values = [] }: SqlStatement, callback: QueryCallback): PgQuery =>
  Object.assign(new pg.Query(text, values, callback), { name, ...extendedQueryMode }) as never;

/** Without this, `pg` would send a statement without values by the simple query protocol. */
const extendedQueryMode = { queryMode: 'extended' };
