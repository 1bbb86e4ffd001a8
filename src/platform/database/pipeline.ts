import type { PoolClient, QueryResultRow } from 'pg';
import { type SqlResult, type SqlStatement, type Queryable, PipelineBatch } from './pipeline-batch.js';

interface PendingStatement {
  statement: SqlStatement;
  resolve(result: SqlResult<QueryResultRow>): void;
  reject(error: unknown): void;
}

/**
 * The line of one transaction to the database. What is asked for in one turn of the event loop goes out together; what
 * begins the transaction goes with the first of it, and what commits it with the last, where that is known to be the last.
 */
export class Pipeline implements Queryable {
  private pending: PendingStatement[] = [];
  private state: 'new' | 'begun' | 'over' = 'new';
  private isFinalBatch = false;
  private tail: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: PoolClient,
    private readonly beginStatements: readonly SqlStatement[],
  ) {}

  query<R extends QueryResultRow>(input: SqlStatement | string, values?: unknown[]): Promise<SqlResult<R>> {
    const statement = typeof input === 'string' ? { text: input, values } : input;
    return new Promise<SqlResult<QueryResultRow>>((resolve, reject) => {
      this.pending.push({ statement, resolve, reject });
      if (this.pending.length === 1) afterCurrentTurn(() => void this.enqueue(() => this.sendBatch()));
    }) as Promise<SqlResult<R>>;
  }

  /** What is asked for next, in one turn, is all that was left to do: it is committed with that. */
  commitWithNext(): void {
    this.isFinalBatch = true;
  }

  /** For whoever works on the connection itself. */
  runExclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.enqueue(async () => {
      if (this.state === 'new') await this.sendBatch();
      return work();
    });
  }

  /** Throws where the database rolls back instead, since a statement was refused and whoever asked for it went on. */
  async commit(): Promise<void> {
    if ((await this.endTransaction('commit')) === 'ROLLBACK')
      throw new Error('a statement was refused, so nothing is committed');
  }

  async rollback(): Promise<void> {
    await this.endTransaction('rollback');
  }

  /** What the database says that it did; undefined: there was nothing to do. */
  private endTransaction(command: 'commit' | 'rollback'): Promise<string | undefined> {
    return this.enqueue(async () => {
      const { state } = this;
      this.state = 'over';
      return state === 'begun' ? (await this.client.query(command)).command : undefined;
    });
  }

  private async sendBatch(): Promise<void> {
    if (this.state === 'over') return this.rejectPending();
    if (!this.pending.length && this.state === 'begun') return; // it went with something sooner
    const batch = new PipelineBatch();
    const { isFinalBatch } = this; // what this one leads to may set it
    if (this.state === 'new') for (const statement of this.beginStatements) batch.add(statement).catch(ignoreRejection);
    for (const { statement, resolve, reject } of this.pending.splice(0)) batch.add(statement).then(resolve, reject);
    if (isFinalBatch) batch.add({ name: 'commit', text: 'commit' }).catch(ignoreRejection);
    this.state = 'begun';
    this.client.query(batch);
    if ((await batch.isDone) && isFinalBatch) this.state = 'over';
  }

  /** The connection may be another transaction's by now. */
  private rejectPending(): void {
    for (const { reject } of this.pending.splice(0)) reject(new Error('the transaction is over'));
  }

  private enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.tail.then(work);
    this.tail = done.catch(() => undefined); // whoever asked hears of it
    return done;
  }
}

/** Where one statement of a trip is refused, all are. */
const ignoreRejection = () => undefined;

/** Once all is asked for that what has just come in leads to. */
const afterCurrentTurn = (run: () => void): void => void Promise.resolve().then(() => process.nextTick(run));
