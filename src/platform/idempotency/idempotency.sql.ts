import { statement } from '../database/statement.js';

/** Returns no row if the key was used before. */
export const claimKey = statement<
  [tenantId: string, caller: string, key: string, id: string, fingerprint: Buffer, busySeconds: number],
  { id: string }
>(
  `
    insert into idempotent_requests (tenant_id, caller, key, id, fingerprint, busy_until, created_at)
    values ($1, $2, $3, $4, $5, now() + $6 * interval '1 second', now())
    on conflict do nothing returning id`,
  { name: 'idempotency-claim' },
);

export interface UsedKey {
  id: string;
  fingerprint: Buffer;
  answerSealed: Buffer | null;
  isBusy: boolean;
  isOver: boolean;
}
/** Locks the row until the transaction ends. */
export const findKey = statement<[tenantId: string, caller: string, key: string, retentionHours: number], UsedKey>(
  `
    select id, fingerprint, answer_sealed as "answerSealed", busy_until > now() as "isBusy",
           created_at < now() - $4 * interval '1 hour' as "isOver"
    from idempotent_requests where tenant_id = $1 and caller = $2 and key = $3 for update`,
  { name: 'idempotency-look-up' },
);

/** For a key whose process ended without a response. */
export const takeOverKey = statement<[tenantId: string, caller: string, key: string, busySeconds: number]>(
  `
    update idempotent_requests set busy_until = now() + $4 * interval '1 second'
    where tenant_id = $1 and caller = $2 and key = $3`,
  { name: 'idempotency-take-over' },
);

export const deleteKey = statement<[tenantId: string, caller: string, key: string]>(
  'delete from idempotent_requests where tenant_id = $1 and caller = $2 and key = $3',
  { name: 'idempotency-forget' },
);

export const storeAnswer = statement<[tenantId: string, caller: string, key: string, id: string, answerSealed: Buffer]>(
  `
    update idempotent_requests set answer_sealed = $5
    where tenant_id = $1 and caller = $2 and key = $3 and id = $4 and answer_sealed is null`,
  { name: 'idempotency-keep' },
);

export const releaseKey = statement<[tenantId: string, caller: string, key: string, id: string]>(
  'delete from idempotent_requests where tenant_id = $1 and caller = $2 and key = $3 and id = $4 and answer_sealed is null',
  { name: 'idempotency-release' },
);

/** For a request that failed midway: a retry may start at once. */
export const abandonKey = statement<[tenantId: string, caller: string, key: string, id: string]>(
  'update idempotent_requests set busy_until = now() where tenant_id = $1 and caller = $2 and key = $3 and id = $4',
  { name: 'idempotency-give-up' },
);
