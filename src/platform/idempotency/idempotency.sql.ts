/* All statements: $1 tenant, $2 caller, $3 key. */

/** $4 id, $5 fingerprint, $6 time limit in seconds. Returns no row if the key was used before. */
export const claimKey = {
  name: 'idempotency-claim',
  text: `
    insert into idempotent_requests (tenant_id, caller, key, id, fingerprint, busy_until, created_at)
    values ($1, $2, $3, $4, $5, now() + $6 * interval '1 second', now())
    on conflict do nothing returning id`,
};

export interface UsedKey {
  id: string;
  fingerprint: Buffer;
  answerSealed: Buffer | null;
  isBusy: boolean;
  isOver: boolean;
}
/** $4 retention of keys in hours. Locks the row until the transaction ends. */
export const findKey = {
  name: 'idempotency-look-up',
  text: `
    select id, fingerprint, answer_sealed as "answerSealed", busy_until > now() as "isBusy",
           created_at < now() - $4 * interval '1 hour' as "isOver"
    from idempotent_requests where tenant_id = $1 and caller = $2 and key = $3 for update`,
};

/** $4 time limit in seconds. For a key whose process ended without a response. */
export const takeOverKey = {
  name: 'idempotency-take-over',
  text: `
    update idempotent_requests set busy_until = now() + $4 * interval '1 second'
    where tenant_id = $1 and caller = $2 and key = $3`,
};

export const deleteKey = {
  name: 'idempotency-forget',
  text: 'delete from idempotent_requests where tenant_id = $1 and caller = $2 and key = $3',
};

/** $4 id, $5 answer */
export const storeAnswer = {
  name: 'idempotency-keep',
  text: `
    update idempotent_requests set answer_sealed = $5
    where tenant_id = $1 and caller = $2 and key = $3 and id = $4 and answer_sealed is null`,
};

/** $4 id */
export const releaseKey = {
  name: 'idempotency-release',
  text: 'delete from idempotent_requests where tenant_id = $1 and caller = $2 and key = $3 and id = $4 and answer_sealed is null',
};

/** $4 id. For a request that failed midway: a retry may start at once. */
export const abandonKey = {
  name: 'idempotency-give-up',
  text: 'update idempotent_requests set busy_until = now() where tenant_id = $1 and caller = $2 and key = $3 and id = $4',
};
