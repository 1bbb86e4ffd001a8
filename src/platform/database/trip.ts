import pg from 'pg';

export type Statement = Pick<pg.QueryConfig, 'name' | 'text' | 'values'>;
export type Result<R extends pg.QueryResultRow> = Pick<pg.QueryResult<R>, 'rows' | 'rowCount'>;

/** A pool, or a transaction. */
export interface Statements {
  query<R extends pg.QueryResultRow>(statement: Statement | string, values?: unknown[]): Promise<Result<R>>;
}

/** What the client does with a query of `pg`'s own, beyond what its types tell. */
interface Query {
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
interface Connection extends pg.Connection {
  submittedNamedStatements: Record<string, string>;
  sync(): void;
}

/**
 * Statements that go to the database in one message and come back in one. They are carried out in their order; after one that
 * is refused none is, and all are told so. (PostgreSQL, "Pipelining" in the extended query protocol: one Sync for all.)
 */
export class Trip implements pg.Submittable {
  private readonly queries: Query[] = [];
  private readonly end = Promise.withResolvers<boolean>();
  private answered = 0;
  private fault: Error | undefined;

  /** Once it is back: whether all of it was carried out. */
  get isDone(): Promise<boolean> {
    return this.end.promise;
  }

  ask<R extends pg.QueryResultRow>(statement: Statement): Promise<Result<R>> {
    return new Promise<Result<R>>((resolve, reject) => {
      const told = (error: Error | null | undefined, result: unknown) => {
        if (error) reject((this.fault = error));
        else resolve(result as Result<R>);
      };
      this.queries.push(queryOf(statement, told));
    });
  }

  /** To be called by the client. */
  submit(connection: pg.Connection): void {
    const pieces: Uint8Array[] = [];
    const { stream } = connection;
    const gathering = Object.create(connection, {
      stream: { value: { writable: stream.writable, write: (piece: Uint8Array) => pieces.push(piece) } },
      sync: { value: () => undefined },
    }) as Connection;
    for (const query of this.queries) {
      const refusal = query.submit(gathering);
      if (refusal) this.fault = refusal;
    }
    // nothing of it was sent; but what the connection is taken to know of it would be wrong
    if (this.fault) return void stream.destroy(this.fault);
    (connection as Connection).sync.call(gathering);
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
    this.answered += 1;
  }
  handleReadyForQuery(connection: pg.Connection): void {
    for (const query of this.queries) query.handleReadyForQuery(connection);
    this.end.resolve(true);
  }

  handleError(error: Error, connection: Connection): void {
    // those that come after were never read
    for (const { name } of this.queries.slice(this.answered))
      if (name) delete connection.submittedNamedStatements[name];
    for (const query of this.queries) query.handleError(error, connection);
    this.end.resolve(false);
  }

  private get current(): Query | undefined {
    return this.queries[this.answered];
  }
}

type Told = (error: Error | null | undefined, result: unknown) => void;

/** `pg` copies a query that is given as an object property by property: on the way of every statement, that is felt. */
const queryOf = ({ name, text, values = [] }: Statement, told: Told): Query =>
  Object.assign(new pg.Query(text, values, told), { name, ...extended }) as never;

/** One without values would be sent in a message of another kind. */
const extended = { queryMode: 'extended' };
