import pg from 'pg';
import type { SqlResult, SqlStatement } from '../queryable.js';

/** The parts of `pg.Query` and `pg.Connection` that its types omit. */
interface PgQuery {
  name?: string;
  text: string;
  portal?: string;
  /** Returns an error if the query was not sent. */
  submit(connection: PgConnection): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: PgConnection): void;
  handleReadyForQuery(connection: PgConnection): void;
  handleError(error: Error, connection: PgConnection): void;
}
interface PgConnection extends pg.Connection {
  submittedNamedStatements: Record<string, string>;
  execute(message: { portal?: string }): void;
  sync(): void;
}
type QueryCallback = (error: Error | null | undefined, result: unknown) => void;
const PgQuery = pg.Query as unknown as new (text: string, values: unknown[], callback: QueryCallback) => PgQuery;

/** A query whose Sync is sent by its batch. */
class BatchedQuery extends PgQuery {
  /** Without this, `pg` would send a statement without values by the simple query protocol. */
  readonly queryMode = 'extended';

  constructor({ name, text, values = [] }: SqlStatement, callback: QueryCallback) {
    super(text, values, callback);
    this.name = name;
  }

  /** `pg` sends Execute here, and a Sync after it. */
  _getRows(connection: PgConnection): void {
    connection.execute({ portal: this.portal });
  }
}

/**
 * Statements that share one round trip. The database executes them in order. If it rejects one, it skips the rest, and
 * all of them fail. (PostgreSQL, "Pipelining" in the extended query protocol: one Sync for all.)
 */
export class PipelineBatch implements pg.Submittable {
  private readonly queries: BatchedQuery[] = [];
  private readonly completion = Promise.withResolvers<boolean>();
  private completedCount = 0;
  private failure: Error | undefined;

  /** Resolves after the round trip: true if all statements were executed. */
  get isDone(): Promise<boolean> {
    return this.completion.promise;
  }

  add<R extends pg.QueryResultRow>(statement: SqlStatement): Promise<SqlResult<R>> {
    return new Promise<SqlResult<R>>((resolve, reject) => {
      const callback: QueryCallback = (error, result) => {
        if (error) reject((this.failure = error));
        else resolve(result as SqlResult<R>);
      };
      this.queries.push(new BatchedQuery(statement, callback));
    });
  }

  /** Called by the client. */
  submit(connection: pg.Connection): void {
    const { stream } = connection;
    stream.cork(); // one write for all
    for (const query of this.queries) {
      const refusal = query.submit(connection as PgConnection);
      if (refusal) this.failure = refusal;
    }
    // nothing was sent, but `pg` already recorded named statements as prepared on this connection
    if (this.failure) return void stream.destroy(this.failure);
    (connection as PgConnection).sync();
    stream.uncork();
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
    this.current?.handleCommandComplete(message, connection as PgConnection);
    this.completedCount += 1;
  }
  handleReadyForQuery(connection: pg.Connection): void {
    for (const query of this.queries) query.handleReadyForQuery(connection as PgConnection);
    this.completion.resolve(true);
  }

  handleError(error: Error, connection: pg.Connection): void {
    const { submittedNamedStatements } = connection as PgConnection;
    // the database never parsed the statements after the failed one
    for (const { name } of this.queries.slice(this.completedCount)) if (name) delete submittedNamedStatements[name];
    for (const query of this.queries) query.handleError(error, connection as PgConnection);
    this.completion.resolve(false);
  }

  private get current(): BatchedQuery | undefined {
    return this.queries[this.completedCount];
  }
}
