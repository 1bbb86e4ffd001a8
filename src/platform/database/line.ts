import type { PoolClient, QueryResultRow } from 'pg';
import { type Result, type Statement, type Statements, Trip } from './trip.js';

interface Asked {
  statement: Statement;
  resolve(result: Result<QueryResultRow>): void;
  reject(error: unknown): void;
}

/**
 * The line of one transaction to the database. What is asked for in one turn of the event loop goes out together; what
 * begins the transaction goes with the first of it, and what commits it with the last, where that is known to be the last.
 */
export class Line implements Statements {
  private waiting: Asked[] = [];
  private state: 'new' | 'begun' | 'over' = 'new';
  private isLast = false;
  private before: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: PoolClient,
    private readonly opening: readonly Statement[],
  ) {}

  query<R extends QueryResultRow>(asked: Statement | string, values?: unknown[]): Promise<Result<R>> {
    const statement = typeof asked === 'string' ? { text: asked, values } : asked;
    return new Promise<Result<QueryResultRow>>((resolve, reject) => {
      this.waiting.push({ statement, resolve, reject });
      if (this.waiting.length === 1) afterThisTurn(() => void this.inOrder(() => this.send()));
    }) as Promise<Result<R>>;
  }

  /** What is asked for next, in one turn, is all that was left to do: it is committed with that. */
  endWithNext(): void {
    this.isLast = true;
  }

  /** For whoever works on the connection itself. */
  directly<T>(work: () => Promise<T>): Promise<T> {
    return this.inOrder(async () => {
      if (this.state === 'new') await this.send();
      return work();
    });
  }

  /** Throws where the database rolls back instead, since a statement was refused and whoever asked for it went on. */
  async commit(): Promise<void> {
    if ((await this.close('commit')) === 'ROLLBACK')
      throw new Error('a statement was refused, so nothing is committed');
  }

  async rollback(): Promise<void> {
    await this.close('rollback');
  }

  /** What the database says that it did; undefined: there was nothing to do. */
  private close(how: 'commit' | 'rollback'): Promise<string | undefined> {
    return this.inOrder(async () => {
      const { state } = this;
      this.state = 'over';
      return state === 'begun' ? (await this.client.query(how)).command : undefined;
    });
  }

  private async send(): Promise<void> {
    if (this.state === 'over') return this.refuse();
    if (!this.waiting.length && this.state === 'begun') return; // it went with something sooner
    const trip = new Trip();
    const { isLast } = this; // what this one leads to may set it
    if (this.state === 'new') for (const statement of this.opening) trip.ask(statement).catch(toldToAll);
    for (const { statement, resolve, reject } of this.waiting.splice(0)) trip.ask(statement).then(resolve, reject);
    if (isLast) trip.ask({ name: 'commit', text: 'commit' }).catch(toldToAll);
    this.state = 'begun';
    this.client.query(trip);
    if ((await trip.isDone) && isLast) this.state = 'over';
  }

  /** The connection may be another transaction's by now. */
  private refuse(): void {
    for (const { reject } of this.waiting.splice(0)) reject(new Error('the transaction is over'));
  }

  private inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.before.then(work);
    this.before = done.catch(() => undefined); // whoever asked hears of it
    return done;
  }
}

/** Where one statement of a trip is refused, all are. */
const toldToAll = () => undefined;

/** Once all is asked for that what has just come in leads to. */
const afterThisTurn = (run: () => void): void => void Promise.resolve().then(() => process.nextTick(run));
