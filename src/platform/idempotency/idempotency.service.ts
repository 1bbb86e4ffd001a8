import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../crypto/ids.js';
import { Seal } from '../crypto/seal.service.js';
import { client, Database } from '../database/database.service.js';
import { Queue } from '../queue/queue.service.js';
import {
  claimKey,
  forgetKey,
  giveUpKey,
  keepAnswer,
  lookUpKey,
  releaseKey,
  takeOverKey,
  type UsedKey,
} from './idempotency.sql.js';
import { forgetOldRequests } from './idempotency.system.sql.js';

/** A request with a key, as far as it has to be told apart from others. */
export interface KeyedRequest {
  tenantId: string;
  /** Whose key it is: another caller's same key is another one. */
  caller: string;
  key: string;
  /** Of everything that makes it this request. */
  fingerprint: Buffer;
}

export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/**
 * `begun`: to be carried out now; what it makes is made under `id`, so that whoever takes over after a crash (`isAgain`) finds
 * it. `answered`: as before. `busy`: somebody is at it. `other`: the key belongs to another request.
 */
export type Standing =
  | { state: 'begun'; id: string; isAgain: boolean }
  | { state: 'answered'; answer: KeptAnswer }
  | { state: 'busy' }
  | { state: 'other' };

const keptHours = 24;

/** What `Idempotency-Key` promises: sent again, a request has the same answer, and is carried out once. */
@Injectable()
export class Idempotency implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly queue: Queue,
    private readonly seal: Seal,
  ) {}

  onModuleInit(): void {
    this.queue.every('idempotency.sweep', 3600, () => this.sweep());
  }

  async sweep(): Promise<void> {
    await this.database.systemPool.query(forgetOldRequests, [keptHours]);
  }

  /** `seconds`: when it has not been answered by then, whoever was at it is taken for gone. */
  begin(request: KeyedRequest, seconds: number): Promise<Standing> {
    const { fingerprint } = request;
    return this.database.tenant(request, async (tx) => {
      const claim = async (): Promise<Standing | null> => {
        const [claimed] = await run<{ id: string }>(tx, claimKey, request, newId(), fingerprint, seconds);
        return claimed ? { state: 'begun', id: claimed.id, isAgain: false } : null;
      };
      const begun = await claim();
      if (begun) return begun;
      const [used] = await run<UsedKey>(tx, lookUpKey, request, keptHours);
      if (!used) return { state: 'busy' }; // released at this very moment
      if (used.isOver) {
        await run(tx, forgetKey, request);
        return (await claim()) ?? { state: 'busy' };
      }
      if (!used.fingerprint.equals(fingerprint)) return { state: 'other' };
      if (used.answerSealed) return { state: 'answered', answer: this.open(used.id, used.answerSealed) };
      if (used.isBusy) return { state: 'busy' };
      await run(tx, takeOverKey, request, seconds);
      return { state: 'begun', id: used.id, isAgain: true };
    });
  }

  /** Sealed: an answer holds what the caller may read, and the database may not. */
  keep(request: KeyedRequest, id: string, answer: KeptAnswer): Promise<void> {
    return this.change(request, keepAnswer, id, this.seal.seal(JSON.stringify(answer), place(id)));
  }

  /** Nothing was done: the key is as good as new. */
  release(request: KeyedRequest, id: string): Promise<void> {
    return this.change(request, releaseKey, id);
  }

  /** What was done is not known: the next one takes over at once. */
  giveUp(request: KeyedRequest, id: string): Promise<void> {
    return this.change(request, giveUpKey, id);
  }

  private async change(request: KeyedRequest, statement: Statement, ...values: unknown[]): Promise<void> {
    await this.database.tenant(request, (tx) => run(tx, statement, request, ...values));
  }

  private open(id: string, sealed: Buffer): KeptAnswer {
    return JSON.parse(this.seal.open(sealed, place(id)).toString()) as KeptAnswer;
  }
}

interface Statement {
  name: string;
  text: string;
}

async function run<T extends object>(
  tx: EntityManager,
  statement: Statement,
  { tenantId, caller, key }: KeyedRequest,
  ...values: unknown[]
): Promise<T[]> {
  const connection = await client(tx);
  return (await connection.query<T>({ ...statement, values: [tenantId, caller, key, ...values] })).rows;
}

const place = (row: string) => ({ table: 'idempotent_requests', column: 'answer_sealed', row });
