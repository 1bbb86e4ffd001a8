import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { QueryConfig, QueryResultRow } from 'pg';
import type { EntityManager } from 'typeorm';
import { pipelineOf, DatabaseService } from '../platform/database/database.service.js';
import type { SqlResult, Queryable } from '../platform/database/pipeline-batch.js';
import type { Principal } from '../principal/principal.js';
import { clientsById, type KnownClientRow } from './clients/clients.system.sql.js';
import { OauthRowsRepository } from './oauth-rows-repository.service.js';
import { rowKeyOf, PendingRows, type SavedRow, writeValuesOf } from './pending-rows.js';
import { selectPresentedRows, type PresentedRow, writeRows } from './rows.system.sql.js';

export interface EndedGrant {
  grantId: string;
  tenantId: string;
  memberId: string;
  memberName: string;
  clientId: string;
}

interface OpenTransaction {
  tx: EntityManager;
  connection: Queryable;
}

interface OauthRequestState {
  reason: string;
  /** Who is signed in in the browser that asks. */
  person: Principal | null;
  startedAt: number;
  /** Grants that the request has ended. */
  ended: EndedGrant[];
  pending: PendingRows;
  presented: Map<string, PresentedRow | null>;
  /** Within `attempt`: what it writes can be undone. */
  isAttempt: boolean;
  /** A transaction, once something needs one. */
  opened?: Promise<OpenTransaction>;
  /** Ends the transaction; it is committed unless there is a failure. */
  end: PromiseWithResolvers<void>;
  ending?: Promise<void>;
  last: Promise<unknown>;
  /** The first failure of the database. The library turns some into answers of its own; none may be committed. */
  failure?: Error;
}

/**
 * What one request at the authorization server reads and writes. A code is used up together with the tokens that it was
 * exchanged for, or not at all: what the token endpoint writes goes in one statement, which it shares with other requests.
 * Whatever needs more than that opens a transaction, which everything else of the request joins from then on.
 */
@Injectable()
export class OauthTransactionService {
  private readonly states = new AsyncLocalStorage<OauthRequestState>();

  constructor(
    private readonly database: DatabaseService,
    private readonly rows: OauthRowsRepository,
  ) {}

  /** Keeps what `run` did, unless it throws or the database failed on the way. */
  run<T>(reason: string, person: Principal | null, run: () => Promise<T>): Promise<T> {
    const work: OauthRequestState = {
      reason,
      person,
      startedAt: performance.now(),
      ended: [],
      pending: new PendingRows(),
      presented: new Map(),
      isAttempt: false,
      end: Promise.withResolvers(),
      last: Promise.resolve(),
    };
    return this.states.run(work, async () => {
      try {
        const result = await run();
        if (!work.failure && !(await this.flush())) throw concurrentUseError();
        if (work.failure) throw work.failure;
        work.end.resolve();
        await work.ending;
        return result;
      } catch (error) {
        work.end.promise.catch(() => undefined);
        work.end.reject(error);
        await work.ending?.catch(() => undefined); // the error is thrown below
        throw error;
      }
    });
  }

  /**
   * Exchanges something for tokens. When that is refused, nothing that it wrote stays, so that what was presented can be presented
   * again, correctly. One thing stays: a grant that ended because something was presented twice.
   */
  async attempt(exchange: () => void | Promise<void>): Promise<void> {
    const { state } = this;
    state.isAttempt = true;
    if (state.opened) await this.execute('savepoint attempt');
    try {
      await exchange();
    } catch (error) {
      if (!state.ended.length && !state.failure) await this.rollBackAttempt();
      throw error;
    }
  }

  get person(): Principal | null {
    return this.state.person;
  }

  get endedGrants(): EndedGrant[] {
    return this.state.ended;
  }

  /** For statements of others. What the request has written so far goes before them. */
  async tx(): Promise<EntityManager> {
    const { tx } = await this.open();
    await this.flush();
    return tx;
  }

  /** One after the other, as a connection takes them; the library asks for several at once. */
  async query<R extends QueryResultRow>(statement: QueryConfig, values: unknown[]): Promise<SqlResult<R>> {
    const { connection } = await this.open();
    // awaited: it goes before this statement, and nobody else would hear of its failure
    await this.flush();
    return this.runInOrder(() => connection.query<R>({ ...statement, values }));
  }

  /** As it is registered now. */
  async client(id: string): Promise<KnownClientRow | null> {
    // whoever holds a connection waits for no other: all of them could be held by such
    if (this.state.opened) return (await this.query<KnownClientRow>(clientsById, [[id]])).rows[0] ?? null;
    return this.recordFailure(this.rows.client(id));
  }

  /** What works once. Read once in a request; that nobody else has used it meanwhile shows when it is used. */
  async loadPresented(model: string, idHash: Buffer): Promise<PresentedRow | null> {
    const { presented } = this.state;
    const key = rowKeyOf(model, idHash);
    if (!presented.has(key)) presented.set(key, await this.read(model, idHash));
    return presented.get(key)!;
  }

  /** As it is after somebody else has used it. */
  async reloadPresented(model: string, idHash: Buffer): Promise<PresentedRow | null> {
    this.state.presented.delete(rowKeyOf(model, idHash));
    return this.loadPresented(model, idHash);
  }

  /** Whether somebody used it while this request was under way already. */
  wasUsedMeanwhile({ usedMsAgo }: PresentedRow): boolean {
    return usedMsAgo !== null && usedMsAgo <= performance.now() - this.state.startedAt;
  }

  /** Uses up what was presented in this request. False: it was used before. */
  consume(model: string, idHash: Buffer): boolean {
    const row = this.state.presented.get(rowKeyOf(model, idHash));
    if (!row || row.consumedAt) return false;
    this.state.pending.consume(model, idHash);
    return true;
  }

  /** Keeps what was answered to what this request uses up. */
  storeReplay(model: string, idHash: Buffer, sealed: Buffer): void {
    this.state.pending.consume(model, idHash, sealed);
  }

  /** Stored with whatever else the request writes. */
  save(row: SavedRow): void {
    this.state.pending.save(row);
  }

  /**
   * Writes what is pending, at once. False: something that it uses up was used by somebody else meanwhile, and nothing was
   * written. Otherwise it is there for good, or as soon as the request's transaction is committed.
   */
  async flush(): Promise<boolean> {
    const { state } = this;
    const writes = state.pending.take();
    if (!writes) return true;
    if (!state.opened) return this.recordFailure(this.rows.write(writes));
    const { connection } = await state.opened;
    const { rows } = await this.runInOrder(() =>
      connection.query<{ request: number }>({ ...writeRows, values: writeValuesOf([writes]) }),
    );
    const isWritten = rows.length === writes.used.length;
    if (!isWritten) state.failure ??= concurrentUseError();
    return isWritten;
  }

  /** As it was read with what was presented, unless this request has ended it. */
  grantOfPresented(grantId: string): PresentedRow['grant'] {
    if (this.endedGrants.some((ended) => ended.grantId === grantId)) return null;
    return this.presentedBy(({ payload }) => payload.grantId === grantId)?.grant ?? null;
  }

  /** As it was read with what was presented. */
  holderOfPresented(accountId: string): PresentedRow['holder'] {
    return this.presentedBy(({ payload }) => payload.accountId === accountId)?.holder ?? null;
  }

  private presentedBy(matches: (row: PresentedRow) => boolean): PresentedRow | undefined {
    return [...this.state.presented.values()].find((row) => row !== null && matches(row)) ?? undefined;
  }

  private async read(model: string, idHash: Buffer): Promise<PresentedRow | null> {
    if (!this.state.opened) return this.recordFailure(this.rows.loadPresented({ model, idHash }));
    return (await this.query<PresentedRow>(selectPresentedRows, [[model], [idHash]])).rows[0] ?? null;
  }

  private open(): Promise<OpenTransaction> {
    const { state } = this;
    return (state.opened ??= new Promise<OpenTransaction>((resolve, reject) => {
      state.ending = this.database.system(state.reason, async (tx) => {
        const connection = await pipelineOf(tx);
        if (state.isAttempt) await connection.query({ text: 'savepoint attempt' });
        resolve({ tx, connection });
        await state.end.promise;
      });
      state.ending.catch(reject);
    }));
  }

  private async rollBackAttempt(): Promise<void> {
    this.state.pending.clear();
    if (this.state.opened) await this.execute('rollback to savepoint attempt');
  }

  private async execute(text: string): Promise<void> {
    const { connection } = await this.open();
    await this.runInOrder(() => connection.query({ text }));
  }

  private runInOrder<T>(ask: () => Promise<T>): Promise<T> {
    const { state } = this;
    const answer = state.last.then(ask);
    state.last = answer.catch(() => undefined); // whoever asked hears of it
    return this.recordFailure(answer);
  }

  private recordFailure<T>(answer: Promise<T>): Promise<T> {
    const { state } = this;
    answer.catch((error: Error) => void (state.failure ??= error));
    return answer;
  }

  private get state(): OauthRequestState {
    const work = this.states.getStore();
    if (!work) throw new Error('the authorization server was asked outside of a request');
    return work;
  }
}

const concurrentUseError = () => new Error('what was presented was used meanwhile');
