import type { PoolClient, QueryResultRow } from 'pg';
import type { Queryable, SqlResult, SqlStatement } from '../queryable.js';
import { PipelineBatch } from './pipeline-batch.js';

interface PendingStatement {
  statement: SqlStatement;
  resolve(result: SqlResult<QueryResultRow>): void;
  reject(error: unknown): void;
}

export interface PipelineOpening {
  /** Sent once, with the first batch. */
  begin: readonly SqlStatement[];
  /**
   * For a transaction that only reads: sent at the start of each batch instead of `begin`. Every batch is an implicit
   * transaction that ends with it, so settings and locks do not outlast the batch. In READ COMMITTED, each statement sees
   * the newest committed rows with or without BEGIN.
   */
  beforeEachRead?: readonly SqlStatement[];
}

/**
 * The pipeline of one transaction. Statements of one turn of the event loop are sent together. BEGIN is sent with the
 * first batch, and COMMIT with the last batch if the caller announced it.
 */
export class Pipeline implements Queryable {
  private pending: PendingStatement[] = [];
  private state: 'new' | 'begun' | 'over' = 'new';
  private isFinalBatch = false;
  private tail: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: PoolClient,
    private readonly opening: PipelineOpening,
  ) {}

  query<R extends QueryResultRow>(statement: SqlStatement): Promise<SqlResult<R>> {
    return new Promise<SqlResult<QueryResultRow>>((resolve, reject) => {
      this.pending.push({ statement, resolve, reject });
      if (this.pending.length === 1) afterCurrentTurn(() => void this.enqueue(() => this.sendBatch()));
    }) as Promise<SqlResult<R>>;
  }

  /** The next batch is the last one of the transaction: COMMIT is sent with it. */
  commitWithNext(): void {
    this.isFinalBatch = true;
  }

  /** For code that uses the connection directly. */
  runExclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.enqueue(async () => {
      if (this.state === 'new') await this.sendBatch(this.opening.begin);
      return work();
    });
  }

  /** Throws if the database rolls back instead, because a statement failed and the caller ignored the error. */
  async commit(): Promise<void> {
    if ((await this.endTransaction('commit')) === 'ROLLBACK')
      throw new Error('a statement failed, so nothing was committed');
  }

  async rollback(): Promise<void> {
    await this.endTransaction('rollback');
  }

  /** Returns the command tag of the database, or undefined if the transaction was not open. */
  private endTransaction(command: 'commit' | 'rollback'): Promise<string | undefined> {
    return this.enqueue(async () => {
      const { state } = this;
      this.state = 'over';
      return state === 'begun' ? (await this.client.query(command)).command : undefined;
    });
  }

  /** `begin` replaces the opening of a new transaction. By default, a transaction that only reads sends no BEGIN. */
  private async sendBatch(begin?: readonly SqlStatement[]): Promise<void> {
    if (this.state === 'over') return this.rejectPending();
    if (!this.pending.length && this.state === 'begun') return; // an earlier batch already sent the statements
    const batch = new PipelineBatch();
    const { isFinalBatch } = this; // callbacks of this batch may set it for the next one
    const { begin: ownBegin, beforeEachRead } = this.opening;
    const before = this.state === 'new' ? (begin ?? beforeEachRead ?? ownBegin) : [];
    for (const statement of before) batch.add(statement).catch(ignoreRejection);
    for (const { statement, resolve, reject } of this.pending.splice(0)) batch.add(statement).then(resolve, reject);
    if (isFinalBatch) batch.add({ name: 'commit', text: 'commit' }).catch(ignoreRejection);
    if (before !== beforeEachRead) this.state = 'begun';
    this.client.query(batch);
    if ((await batch.isDone) && isFinalBatch) this.state = 'over';
  }

  /** The connection may already belong to another transaction. */
  private rejectPending(): void {
    for (const { reject } of this.pending.splice(0)) reject(new Error('the transaction has ended'));
  }

  private enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.tail.then(work);
    this.tail = done.catch(() => undefined); // the caller gets the error from `done`
    return done;
  }
}

/** If one statement of a batch fails, all of them fail, and the callers get the error. */
const ignoreRejection = () => undefined;

/** Runs after the promise callbacks of this turn, which may add statements. */
const afterCurrentTurn = (run: () => void): void => void Promise.resolve().then(() => process.nextTick(run));
