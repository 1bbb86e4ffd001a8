import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { EntityManager } from 'typeorm';
import { client, Database } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import { keyOf, PendingRows, type SavedRow } from './pending-rows.js';
import { presentRow, type PresentedRow, writeRows } from './rows.system.sql.js';

export interface EndedGrant {
  grantId: string;
  tenantId: string;
  memberId: string;
  memberName: string;
  clientId: string;
}

interface Work {
  tx: EntityManager;
  connection: PoolClient;
  /** Who is signed in in the browser that asks. */
  person: Principal | null;
  /** Grants that the request has ended. */
  ended: EndedGrant[];
  pending: PendingRows;
  /** What was presented in this request; locked. */
  presented: Map<string, PresentedRow | null>;
  last: Promise<void>;
  /** The first failure of the database. The library turns some into answers of its own; none may be committed. */
  failure?: Error;
}

/**
 * One transaction for each request at the authorization server. Whatever the library reads and writes while it answers
 * joins it: a code is used up together with the tokens that it was exchanged for, or not at all.
 */
@Injectable()
export class OauthTransaction {
  private readonly works = new AsyncLocalStorage<Work>();

  constructor(private readonly database: Database) {}

  /** Commits what `run` did, unless it throws or the database failed on the way. */
  run<T>(reason: string, person: Principal | null, run: () => Promise<T>): Promise<T> {
    return this.database.system(reason, async (tx) => {
      const work: Work = {
        tx,
        connection: await client(tx),
        person,
        ended: [],
        pending: new PendingRows(),
        presented: new Map(),
        last: Promise.resolve(),
      };
      return this.works.run(work, async () => {
        const result = await run();
        this.write();
        await work.last;
        if (work.failure) throw work.failure;
        return result;
      });
    });
  }

  /** For statements of others. What the request has written so far goes before them. */
  get tx(): EntityManager {
    this.write();
    return this.work.tx;
  }

  get person(): Principal | null {
    return this.work.person;
  }

  get ended(): EndedGrant[] {
    return this.work.ended;
  }

  query<R extends QueryResultRow>(statement: QueryConfig, values: unknown[]): Promise<QueryResult<R>> {
    this.write();
    return this.send<R>(statement, values);
  }

  /** Stored with whatever else the request writes: before its next statement, or at its end. */
  save(row: SavedRow): void {
    this.work.pending.save(row);
  }

  /** What works once, locked until the request ends. Read once: nobody else changes it meanwhile. */
  async present(model: string, idHash: Buffer): Promise<PresentedRow | null> {
    const { presented } = this.work;
    const key = keyOf(model, idHash);
    if (!presented.has(key))
      presented.set(key, (await this.query<PresentedRow>(presentRow, [model, idHash])).rows[0] ?? null);
    return presented.get(key)!;
  }

  /** Uses up what was presented in this request. False: it was used before. */
  use(model: string, idHash: Buffer): boolean {
    const row = this.work.presented.get(keyOf(model, idHash));
    if (!row || row.consumedAt) return false;
    row.consumedAt = new Date();
    this.work.pending.use(model, idHash);
    return true;
  }

  /** Keeps what was answered to what this request has used up. */
  keepReplay(model: string, idHash: Buffer, sealed: Buffer): void {
    this.work.pending.use(model, idHash, sealed);
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

  private write(): void {
    const { work } = this;
    const writes = work.pending.take();
    if (!writes) return;
    this.send<{ used: number }>(writeRows, writes.values).then(
      ({ rows: [{ used }] }) => {
        if (used !== writes.uses) work.failure ??= new Error('what was used up is gone');
      },
      () => undefined, // the request fails by it already
    );
  }

  /** One after the other, as a connection takes them; the library asks for several at once. */
  private send<R extends QueryResultRow>(statement: QueryConfig, values: unknown[]): Promise<QueryResult<R>> {
    const { work } = this;
    const result = work.last.then(() => work.connection.query<R>({ ...statement, values }));
    work.last = result.then(
      () => undefined,
      (error: Error) => void (work.failure ??= error),
    );
    return result;
  }

  private get work(): Work {
    const work = this.works.getStore();
    if (!work) throw new Error('the authorization server was asked outside of a transaction');
    return work;
  }
}
