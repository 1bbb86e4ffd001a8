import pg from 'pg';

export type SqlStatement = Pick<pg.QueryConfig, 'name' | 'text' | 'values'>;
export type SqlResult<R extends pg.QueryResultRow> = Pick<pg.QueryResult<R>, 'rows' | 'rowCount'>;

/** A pool, or a transaction. */
export interface Queryable {
  query<R extends pg.QueryResultRow>(statement: SqlStatement | string, values?: unknown[]): Promise<SqlResult<R>>;
}

/** What the client does with a query of `pg`'s own, beyond what its types tell. */
interface PgQuery {
  /** An error: it was not sent. */
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
 * Statements that go to the database in one message and come back in one. They are carried out in their order; after one that
 * is refused none is, and all are told so. (PostgreSQL, "Pipelining" in the extended query protocol: one Sync for all.)
 */
export class PipelineBatch implements pg.Submittable {
  private readonly queries: PgQuery[] = [];
  private readonly completion = Promise.withResolvers<boolean>();
  private completedCount = 0;
  private failure: Error | undefined;

  /** Once it is back: whether all of it was carried out. */
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

  /** To be called by the client. */
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
    // nothing of it was sent; but what the connection is taken to know of it would be wrong
    if (this.failure) return void stream.destroy(this.failure);
    (connection as PgConnection).sync.call(bufferingConnection);
    stream.write(Buffer.concat(pieces));
  }

  /** The client keeps by these what the connection knows from now on. */
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
    // those that come after were never read
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

/** `pg` copies a query that is given as an object property by property: on the way of every statement, that is felt. */
const createPgQuery = ({ name, text, values = [] }: SqlStatement, callback: QueryCallback): PgQuery =>
  Object.assign(new pg.Query(text, values, callback), { name, ...extendedQueryMode }) as never;

/** One without values would be sent in a message of another kind. */
const extendedQueryMode = { queryMode: 'extended' };
