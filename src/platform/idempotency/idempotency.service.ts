import { Injectable, type OnModuleInit } from '@nestjs/common';
import { newId } from '../crypto/ids.js';
import { SealService } from '../crypto/seal.service.js';
import { DatabaseService } from '../database/database.service.js';
import { QueueService } from '../queue/queue.service.js';
import { claimKey, deleteKey, abandonKey, storeAnswer, findKey, releaseKey, takeOverKey } from './idempotency.sql.js';
import { deleteExpiredRequests } from './idempotency.system.sql.js';

/** The identity of a request with an idempotency key. */
export interface KeyedRequest {
  tenantId: string;
  /** The owner of the key. The same key of another caller is a different one. */
  caller: string;
  key: string;
  /** A hash of the whole request, to detect reuse of the key for another request. */
  fingerprint: Buffer;
}

export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/**
 * `begun`: execute the request now. Objects that it creates get `id`, so that a retry after a crash (`isAgain`) finds
 * them. `answered`: return the stored response. `busy`: the request is still running. `other`: the key was used for
 * another request.
 */
export type IdempotencyClaim =
  | { state: 'begun'; id: string; isAgain: boolean }
  | { state: 'answered'; answer: StoredResponse }
  | { state: 'busy' }
  | { state: 'other' };

const idempotencyHours = 24;

/** Implements `Idempotency-Key`: a repeated request gets the same response and is executed once. */
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
    await this.database.systemPool.execute(deleteExpiredRequests, [idempotencyHours]);
  }

  /** `seconds`: after this time without a response, the executing process counts as crashed. */
  begin(request: KeyedRequest, seconds: number): Promise<IdempotencyClaim> {
    const { fingerprint } = request;
    const key = keyOf(request);
    return this.database.tenant(request, async (tx) => {
      const claim = async (): Promise<IdempotencyClaim | null> => {
        const claimed = await tx.one(claimKey, [...key, newId(), fingerprint, seconds]);
        return claimed && { state: 'begun', id: claimed.id, isAgain: false };
      };
      const begun = await claim();
      if (begun) return begun;
      const used = await tx.one(findKey, [...key, idempotencyHours]);
      if (!used) return { state: 'busy' }; // released at the same moment
      if (used.isOver) {
        await tx.execute(deleteKey, key);
        return (await claim()) ?? { state: 'busy' };
      }
      if (!used.fingerprint.equals(fingerprint)) return { state: 'other' };
      if (used.answerSealed) return { state: 'answered', answer: this.unsealResponse(used.id, used.answerSealed) };
      if (used.isBusy) return { state: 'busy' };
      await tx.execute(takeOverKey, [...key, seconds]);
      return { state: 'begun', id: used.id, isAgain: true };
    });
  }

  /** The response is sealed, because it may contain secrets for the caller. */
  async storeResponse(request: KeyedRequest, id: string, answer: StoredResponse): Promise<void> {
    const sealed = this.seal.seal(JSON.stringify(answer), sealContextOf(id));
    await this.database.tenant(request, (tx) => tx.execute(storeAnswer, [...keyOf(request), id, sealed]));
  }

  /** Nothing was executed: the key can be used again. */
  async release(request: KeyedRequest, id: string): Promise<void> {
    await this.database.tenant(request, (tx) => tx.execute(releaseKey, [...keyOf(request), id]));
  }

  /** The outcome is unknown: a retry takes over at once. */
  async abandon(request: KeyedRequest, id: string): Promise<void> {
    await this.database.tenant(request, (tx) => tx.execute(abandonKey, [...keyOf(request), id]));
  }

  private unsealResponse(id: string, sealed: Buffer): StoredResponse {
    return JSON.parse(this.seal.open(sealed, sealContextOf(id)).toString()) as StoredResponse;
  }
}

const keyOf = ({ tenantId, caller, key }: KeyedRequest): [tenantId: string, caller: string, key: string] => [
  tenantId,
  caller,
  key,
];

const sealContextOf = (row: string) => ({ table: 'idempotent_requests', column: 'answer_sealed', row });
