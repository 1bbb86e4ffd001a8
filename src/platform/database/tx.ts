import { EntityManager, type DataSource, type QueryRunner } from 'typeorm';
import type { Pipeline } from './pipeline/pipeline.js';
import { QueryableRunner, type StatementRunner } from './statement.js';
import { disableSynchronousCommit } from './transaction.sql.js';

type CommitCallback = () => void | Promise<void>;

/**
 * A transaction: entities by TypeORM's methods (`find`, `save`, …), and typed statements. Statements that are issued in
 * the same turn of the event loop share one round trip, and the first ones are sent together with BEGIN. Statements and
 * entity methods that are issued in the same turn run in any order: await what has to come first.
 */
export class Tx extends EntityManager implements StatementRunner {
  private readonly statements: QueryableRunner;
  private readonly commitCallbacks: CommitCallback[] = [];

  /** Statements have types: use `run`, `one` or `execute`. */
  declare readonly query: never;

  readonly run: StatementRunner['run'];
  readonly one: StatementRunner['one'];
  readonly execute: StatementRunner['execute'];

  constructor(
    source: DataSource,
    runner: QueryRunner,
    private readonly pipeline: Pipeline,
  ) {
    super(source, runner);
    this.statements = new QueryableRunner(pipeline);
    this.run = this.statements.run.bind(this.statements);
    this.one = this.statements.one.bind(this.statements);
    this.execute = this.statements.execute.bind(this.statements);
  }

  /** `requestAll` issues all remaining statements at the same time. COMMIT is sent in the same round trip. */
  commitWith<T>(requestAll: () => Promise<T>): Promise<T> {
    this.pipeline.commitWithNext();
    return requestAll();
  }

  /**
   * Commits without waiting for the WAL flush. Only for writes that are useless without a later commit that waits: its
   * flush includes all earlier WAL.
   */
  async commitWithoutFlush(): Promise<void> {
    await this.execute(disableSynchronousCommit);
  }

  /** Runs `callback` after the commit. Does not run it after a rollback. */
  afterCommit(callback: CommitCallback): void {
    this.commitCallbacks.push(callback);
  }

  /** Only for the code that commits (transaction.ts). */
  async runCommitCallbacks(): Promise<void> {
    for (const callback of this.commitCallbacks) await callback();
  }
}
