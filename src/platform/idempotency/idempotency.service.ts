import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../crypto/ids.js';
import { SealService } from '../crypto/seal.service.js';
import { pipelineOf, DatabaseService } from '../database/database.service.js';
import { QueueService } from '../queue/queue.service.js';
import {
  claimKey,
  deleteKey,
  abandonKey,
  storeAnswer,
  findKey,
  releaseKey,
  takeOverKey,
  type UsedKey,
} from './idempotency.sql.js';
import { deleteExpiredRequests } from './idempotency.system.sql.js';

/** A request with a key, as far as it has to be told apart from others. */
export interface KeyedRequest {
  tenantId: string;
  /** Whose key it is: another caller's same key is another one. */
  caller: string;
  key: string;
  /** Of everything that makes it this request. */
  fingerprint: Buffer;
}

export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/**
 * `begun`: to be carried out now; what it makes is made under `id`, so that whoever takes over after a crash (`isAgain`) finds
 * it. `answered`: as before. `busy`: somebody is at it. `other`: the key belongs to another request.
 */
export type IdempotencyClaim =
  | { state: 'begun'; id: string; isAgain: boolean }
  | { state: 'answered'; answer: StoredResponse }
  | { state: 'busy' }
  | { state: 'other' };

const idempotencyHours = 24;

/** What `Idempotency-Key` promises: sent again, a request has the same answer, and is carried out once. */
@Injectable()
export class IdempotencyService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly seal: SealService,
  ) {}

  onModuleInit(): void {
    this.queue.every('idempotency.sweep', 3600, () => this.sweep());
  }

  async sweep(): Promise<void> {
    await this.database.systemPool.query(deleteExpiredRequests, [idempotencyHours]);
  }

  /** `seconds`: when it has not been answered by then, whoever was at it is taken for gone. */
  begin(request: KeyedRequest, seconds: number): Promise<IdempotencyClaim> {
    const { fingerprint } = request;
    return this.database.tenant(request, async (tx) => {
      const claim = async (): Promise<IdempotencyClaim | null> => {
        const [claimed] = await runStatement<{ id: string }>(tx, claimKey, request, newId(), fingerprint, seconds);
        return claimed ? { state: 'begun', id: claimed.id, isAgain: false } : null;
      };
      const begun = await claim();
      if (begun) return begun;
      const [used] = await runStatement<UsedKey>(tx, findKey, request, idempotencyHours);
      if (!used) return { state: 'busy' }; // released at this very moment
      if (used.isOver) {
        await runStatement(tx, deleteKey, request);
        return (await claim()) ?? { state: 'busy' };
      }
      if (!used.fingerprint.equals(fingerprint)) return { state: 'other' };
      if (used.answerSealed) return { state: 'answered', answer: this.unsealResponse(used.id, used.answerSealed) };
      if (used.isBusy) return { state: 'busy' };
      await runStatement(tx, takeOverKey, request, seconds);
      return { state: 'begun', id: used.id, isAgain: true };
    });
  }

  /** Sealed: an answer holds what the caller may read, and the database may not. */
  storeResponse(request: KeyedRequest, id: string, answer: StoredResponse): Promise<void> {
    return this.execute(request, storeAnswer, id, this.seal.seal(JSON.stringify(answer), sealContextOf(id)));
  }

  /** Nothing was done: the key is as good as new. */
  release(request: KeyedRequest, id: string): Promise<void> {
    return this.execute(request, releaseKey, id);
  }

  /** What was done is not known: the next one takes over at once. */
  abandon(request: KeyedRequest, id: string): Promise<void> {
    return this.execute(request, abandonKey, id);
  }

  private async execute(request: KeyedRequest, statement: NamedStatement, ...values: unknown[]): Promise<void> {
    await this.database.tenant(request, (tx) => runStatement(tx, statement, request, ...values));
  }

  private unsealResponse(id: string, sealed: Buffer): StoredResponse {
    return JSON.parse(this.seal.open(sealed, sealContextOf(id)).toString()) as StoredResponse;
  }
}

interface NamedStatement {
  name: string;
  text: string;
}

async function runStatement<T extends object>(
  tx: EntityManager,
  statement: NamedStatement,
  { tenantId, caller, key }: KeyedRequest,
  ...values: unknown[]
): Promise<T[]> {
  const connection = await pipelineOf(tx);
  return (await connection.query<T>({ ...statement, values: [tenantId, caller, key, ...values] })).rows;
}

const sealContextOf = (row: string) => ({ table: 'idempotent_requests', column: 'answer_sealed', row });
