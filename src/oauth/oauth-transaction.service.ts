import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { QueryConfig, QueryResultRow } from 'pg';
import type { EntityManager } from 'typeorm';
import { client, Database } from '../platform/database/database.service.js';
import type { Result, Statements } from '../platform/database/trip.js';
import type { Principal } from '../principal/principal.js';
import { clientsById, type KnownClientRow } from './clients/clients.system.sql.js';
import { OauthRows } from './oauth-rows.service.js';
import { keyOf, PendingRows, type SavedRow, valuesOf } from './pending-rows.js';
import { presentRows, type PresentedRow, writeRows } from './rows.system.sql.js';

export interface EndedGrant {
  grantId: string;
  tenantId: string;
  memberId: string;
  memberName: string;
  clientId: string;
}

interface Opened {
  tx: EntityManager;
  connection: Statements;
}

interface Work {
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
  opened?: Promise<Opened>;
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
export class OauthTransaction {
  private readonly works = new AsyncLocalStorage<Work>();

  constructor(
    private readonly database: Database,
    private readonly rows: OauthRows,
  ) {}

  /** Keeps what `run` did, unless it throws or the database failed on the way. */
  run<T>(reason: string, person: Principal | null, run: () => Promise<T>): Promise<T> {
    const work: Work = {
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
    return this.works.run(work, async () => {
      try {
        const result = await run();
        if (!work.failure && !(await this.settle())) throw usedMeanwhile();
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
    const { work } = this;
    work.isAttempt = true;
    if (work.opened) await this.control('savepoint attempt');
    try {
      await exchange();
    } catch (error) {
      if (!work.ended.length && !work.failure) await this.undo();
      throw error;
    }
  }

  get person(): Principal | null {
    return this.work.person;
  }

  get ended(): EndedGrant[] {
    return this.work.ended;
  }

  /** For statements of others. What the request has written so far goes before them. */
  async tx(): Promise<EntityManager> {
    const { tx } = await this.open();
    await this.settle();
    return tx;
  }

  /** One after the other, as a connection takes them; the library asks for several at once. */
  async query<R extends QueryResultRow>(statement: QueryConfig, values: unknown[]): Promise<Result<R>> {
    const { connection } = await this.open();
    // awaited: it goes before this statement, and nobody else would hear of its failure
    await this.settle();
    return this.inOrder(() => connection.query<R>({ ...statement, values }));
  }

  /** As it is registered now. */
  async client(id: string): Promise<KnownClientRow | null> {
    // whoever holds a connection waits for no other: all of them could be held by such
    if (this.work.opened) return (await this.query<KnownClientRow>(clientsById, [[id]])).rows[0] ?? null;
    return this.note(this.rows.client(id));
  }

  /** What works once. Read once in a request; that nobody else has used it meanwhile shows when it is used. */
  async present(model: string, idHash: Buffer): Promise<PresentedRow | null> {
    const { presented } = this.work;
    const key = keyOf(model, idHash);
    if (!presented.has(key)) presented.set(key, await this.read(model, idHash));
    return presented.get(key)!;
  }

  /** As it is after somebody else has used it. */
  async presentAgain(model: string, idHash: Buffer): Promise<PresentedRow | null> {
    this.work.presented.delete(keyOf(model, idHash));
    return this.present(model, idHash);
  }

  /** Whether somebody used it while this request was under way already. */
  isJustUsed({ usedMsAgo }: PresentedRow): boolean {
    return usedMsAgo !== null && usedMsAgo <= performance.now() - this.work.startedAt;
  }

  /** Uses up what was presented in this request. False: it was used before. */
  use(model: string, idHash: Buffer): boolean {
    const row = this.work.presented.get(keyOf(model, idHash));
    if (!row || row.consumedAt) return false;
    this.work.pending.use(model, idHash);
    return true;
  }

  /** Keeps what was answered to what this request uses up. */
  keepReplay(model: string, idHash: Buffer, sealed: Buffer): void {
    this.work.pending.use(model, idHash, sealed);
  }

  /** Stored with whatever else the request writes. */
  save(row: SavedRow): void {
    this.work.pending.save(row);
  }

  /**
   * Writes what is pending, at once. False: something that it uses up was used by somebody else meanwhile, and nothing was
   * written. Otherwise it is there for good, or as soon as the request's transaction is committed.
   */
  async settle(): Promise<boolean> {
    const { work } = this;
    const writes = work.pending.take();
    if (!writes) return true;
    if (!work.opened) return this.note(this.rows.write(writes));
    const { connection } = await work.opened;
    const { rows } = await this.inOrder(() =>
      connection.query<{ request: number }>({ ...writeRows, values: valuesOf([writes]) }),
    );
    const isWritten = rows.length === writes.used.length;
    if (!isWritten) work.failure ??= usedMeanwhile();
    return isWritten;
  }

  /** As it was read with what was presented, unless this request has ended it. */
  grantOfPresented(grantId: string): PresentedRow['grant'] {
    if (this.ended.some((ended) => ended.grantId === grantId)) return null;
    return this.presentedBy(({ payload }) => payload.grantId === grantId)?.grant ?? null;
  }

  /** As it was read with what was presented. */
  holderOfPresented(accountId: string): PresentedRow['holder'] {
    return this.presentedBy(({ payload }) => payload.accountId === accountId)?.holder ?? null;
  }

  private presentedBy(matches: (row: PresentedRow) => boolean): PresentedRow | undefined {
    return [...this.work.presented.values()].find((row) => row !== null && matches(row)) ?? undefined;
  }

  private async read(model: string, idHash: Buffer): Promise<PresentedRow | null> {
    if (!this.work.opened) return this.note(this.rows.present({ model, idHash }));
    return (await this.query<PresentedRow>(presentRows, [[model], [idHash]])).rows[0] ?? null;
  }

  private open(): Promise<Opened> {
    const { work } = this;
    return (work.opened ??= new Promise<Opened>((resolve, reject) => {
      work.ending = this.database.system(work.reason, async (tx) => {
        const connection = await client(tx);
        if (work.isAttempt) await connection.query({ text: 'savepoint attempt' });
        resolve({ tx, connection });
        await work.end.promise;
      });
      work.ending.catch(reject);
    }));
  }

  private async undo(): Promise<void> {
    this.work.pending.clear();
    if (this.work.opened) await this.control('rollback to savepoint attempt');
  }

  private async control(text: string): Promise<void> {
    const { connection } = await this.open();
    await this.inOrder(() => connection.query({ text }));
  }

  private inOrder<T>(ask: () => Promise<T>): Promise<T> {
    const { work } = this;
    const answer = work.last.then(ask);
    work.last = answer.catch(() => undefined); // whoever asked hears of it
    return this.note(answer);
  }

  private note<T>(answer: Promise<T>): Promise<T> {
    const { work } = this;
    answer.catch((error: Error) => void (work.failure ??= error));
    return answer;
  }

  private get work(): Work {
    const work = this.works.getStore();
    if (!work) throw new Error('the authorization server was asked outside of a request');
    return work;
  }
}

const usedMeanwhile = () => new Error('what was presented was used meanwhile');
