import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { EntityManager } from 'typeorm';
import { client, Database } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';

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
      const work: Work = { tx, connection: await client(tx), person, ended: [], last: Promise.resolve() };
      const result = await this.works.run(work, run);
      if (work.failure) throw work.failure;
      return result;
    });
  }

  get tx(): EntityManager {
    return this.work.tx;
  }

  get person(): Principal | null {
    return this.work.person;
  }

  get ended(): EndedGrant[] {
    return this.work.ended;
  }

  /** One after the other, as a connection takes them; the library asks for several at once. */
  query<R extends QueryResultRow>(statement: QueryConfig, values: unknown[]): Promise<QueryResult<R>> {
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
