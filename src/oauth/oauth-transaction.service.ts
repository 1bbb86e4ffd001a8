import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import type { StatementRunner } from '../platform/database/statement.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { clientsById, type KnownClientRow } from './clients.system.sql.js';
import { OauthRowsRepository } from './oauth-rows-repository.service.js';
import { rollBackToSavepoint, setSavepoint } from './oauth-transaction.system.sql.js';
import { rowKeyOf, PendingRows, type SavedRow, writeValuesOf } from './pending-rows.js';
import { selectPresentedRows, type PresentedRow, writeRows } from './rows.system.sql.js';

export interface EndedGrant {
  grantId: string;
  tenantId: string;
  memberId: string;
  memberName: string;
  clientId: string;
}

interface OauthRequestState {
  reason: string;
  /** The person who is signed in in the browser. */
  person: Principal | null;
  startedAt: number;
  endedGrants: EndedGrant[];
  pendingRows: PendingRows;
  presentedRows: Map<string, PresentedRow | null>;
  /** Within `attempt`, whose writes can be rolled back. */
  isAttempt: boolean;
  /** Opened by the first operation that needs a transaction. */
  tx?: Promise<Tx>;
  /** Settles after the commit or the rollback. */
  transaction?: Promise<void>;
  /** Ends the transaction: commits it, or rolls it back if this rejects. */
  completion: PromiseWithResolvers<void>;
  lastStatement: Promise<unknown>;
  /** The first database error. The library converts some errors to responses; the transaction must still not commit. */
  failure?: Error;
}

/**
 * Reads and writes of one request at the authorization server. A code is consumed together with storing the tokens that
 * it was exchanged for, or not at all: the token endpoint writes in one statement, which it shares with other requests.
 * An operation that needs more opens a transaction, and all later operations of the request join it.
 */
@Injectable()
export class OauthTransactionService implements Pick<StatementRunner, 'one' | 'execute'> {
  private readonly states = new AsyncLocalStorage<OauthRequestState>();

  constructor(
    private readonly database: DatabaseService,
    private readonly rows: OauthRowsRepository,
  ) {}

  /** Commits the work of `run` unless it throws or a database error occurred. */
  run<T>(reason: string, person: Principal | null, run: () => Promise<T>): Promise<T> {
    const state: OauthRequestState = {
      reason,
      person,
      startedAt: performance.now(),
      endedGrants: [],
      pendingRows: new PendingRows(),
      presentedRows: new Map(),
      isAttempt: false,
      completion: Promise.withResolvers(),
      lastStatement: Promise.resolve(),
    };
    return this.states.run(state, async () => {
      try {
        const result = await run();
        if (!state.failure && !(await this.flush())) throw concurrentUseError();
        if (state.failure) throw state.failure;
        state.completion.resolve();
        await state.transaction;
        return result;
      } catch (error) {
        state.completion.promise.catch(() => undefined); // handled even if no transaction was opened
        state.completion.reject(error);
        await state.transaction?.catch(() => undefined); // the error is thrown below
        throw error;
      }
    });
  }

  /**
   * Exchanges a credential for tokens. A refusal rolls its writes back, so that the client can present the credential
   * again in a correct request. One write stays: a grant that ended because of a replay.
   */
  async attempt(exchange: () => void | Promise<void>): Promise<void> {
    const { state } = this;
    state.isAttempt = true;
    if (state.tx) await this.runInOrder((tx) => tx.execute(setSavepoint));
    try {
      await exchange();
    } catch (error) {
      if (!state.endedGrants.length && !state.failure) await this.rollBackAttempt();
      throw error;
    }
  }

  get person(): Principal | null {
    return this.state.person;
  }

  /** The grants that this request has ended. */
  get endedGrants(): readonly EndedGrant[] {
    return this.state.endedGrants;
  }

  recordEndedGrant(grant: EndedGrant): void {
    this.state.endedGrants.push(grant);
  }

  /** For statements outside this module. Flushes the pending writes of the request first. */
  async tx(): Promise<Tx> {
    const tx = await this.open();
    await this.flush();
    return tx;
  }

  /** In the transaction of the request. */
  readonly one: StatementRunner['one'] = (statement, ...params) =>
    this.runAfterWrites((tx) => tx.one(statement, ...params));

  /** In the transaction of the request. */
  readonly execute: StatementRunner['execute'] = (statement, ...params) =>
    this.runAfterWrites((tx) => tx.execute(statement, ...params));

  /** The current registration. */
  async client(id: string): Promise<KnownClientRow | null> {
    // a request that holds a connection must not wait for another one: the pool could deadlock
    if (this.state.tx) return this.one(clientsById, [[id]]);
    return this.recordFailure(this.rows.client(id));
  }

  /** Reads a single-use credential once per request. A concurrent use is detected when this request consumes it. */
  async loadPresented(model: string, idHash: Buffer): Promise<PresentedRow | null> {
    const { presentedRows } = this.state;
    const key = rowKeyOf(model, idHash);
    if (!presentedRows.has(key)) presentedRows.set(key, await this.read(model, idHash));
    return presentedRows.get(key)!;
  }

  /** Reads it again after a concurrent request used it. */
  async reloadPresented(model: string, idHash: Buffer): Promise<PresentedRow | null> {
    this.state.presentedRows.delete(rowKeyOf(model, idHash));
    return this.loadPresented(model, idHash);
  }

  /** Whether it was used after this request started. */
  wasUsedMeanwhile({ usedMsAgo }: PresentedRow): boolean {
    return usedMsAgo !== null && usedMsAgo <= performance.now() - this.state.startedAt;
  }

  /** Consumes a credential that was presented in this request. Returns false if it was used before. */
  consume(model: string, idHash: Buffer): boolean {
    const row = this.state.presentedRows.get(rowKeyOf(model, idHash));
    if (!row || row.consumedAt) return false;
    this.state.pendingRows.consume(model, idHash);
    return true;
  }

  /** Stores the response to the credential that this request consumes. */
  storeReplay(model: string, idHash: Buffer, sealed: Buffer): void {
    this.state.pendingRows.consume(model, idHash, sealed);
  }

  /** Stored together with the other writes of the request. */
  save(row: SavedRow): void {
    this.state.pendingRows.save(row);
  }

  /**
   * Writes all pending rows in one statement. Returns false, and writes nothing, if a concurrent request used one of
   * the consumed credentials. Otherwise the rows are committed, or are committed with the transaction of the request.
   */
  async flush(): Promise<boolean> {
    const { state } = this;
    const writes = state.pendingRows.take();
    if (!writes) return true;
    if (!state.tx) return this.recordFailure(this.rows.write(writes));
    const usedCount = await this.runInOrder((tx) => tx.execute(writeRows, writeValuesOf([writes])));
    const isWritten = usedCount === writes.used.length;
    if (!isWritten) state.failure ??= concurrentUseError();
    return isWritten;
  }

  /** The grant that was read with the presented credential, unless this request ended it. */
  grantOfPresented(grantId: string): PresentedRow['grant'] {
    if (this.endedGrants.some((ended) => ended.grantId === grantId)) return null;
    return this.presentedBy(({ payload }) => payload.grantId === grantId)?.grant ?? null;
  }

  /** The member that was read with the presented credential. */
  holderOfPresented(accountId: string): PresentedRow['holder'] {
    return this.presentedBy(({ payload }) => payload.accountId === accountId)?.holder ?? null;
  }

  private presentedBy(matches: (row: PresentedRow) => boolean): PresentedRow | undefined {
    return [...this.state.presentedRows.values()].find((row) => row !== null && matches(row)) ?? undefined;
  }

  private async read(model: string, idHash: Buffer): Promise<PresentedRow | null> {
    if (!this.state.tx) return this.recordFailure(this.rows.loadPresented({ model, idHash }));
    return this.one(selectPresentedRows, [[model], [idHash]]);
  }

  private open(): Promise<Tx> {
    const { state } = this;
    return (state.tx ??= new Promise<Tx>((resolve, reject) => {
      state.transaction = this.database.system(state.reason, async (tx) => {
        if (state.isAttempt) await tx.execute(setSavepoint);
        resolve(tx);
        await state.completion.promise;
      });
      state.transaction.catch(reject);
    }));
  }

  private async rollBackAttempt(): Promise<void> {
    this.state.pendingRows.clear();
    if (this.state.tx) await this.runInOrder((tx) => tx.execute(rollBackToSavepoint));
  }

  private async runAfterWrites<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    await this.open();
    // awaited, so that the writes precede the statement and their failure is reported
    await this.flush();
    return this.runInOrder(run);
  }

  /** Runs statements in sequence on the connection, since the library issues several at once. */
  private runInOrder<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    const { state } = this;
    const result = state.lastStatement.then(async () => run(await this.open()));
    state.lastStatement = result.catch(() => undefined); // the caller handles the error
    return this.recordFailure(result);
  }

  private recordFailure<T>(result: Promise<T>): Promise<T> {
    const { state } = this;
    result.catch((error: Error) => void (state.failure ??= error));
    return result;
  }

  private get state(): OauthRequestState {
    const state = this.states.getStore();
    if (!state) throw new Error('the authorization server was called outside of a request');
    return state;
  }
}

const concurrentUseError = () => new Error('a concurrent request used the presented credential');
