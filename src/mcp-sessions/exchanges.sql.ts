import { statement } from '../platform/database/statement.js';
import type { Principal } from '../principal/principal.js';

/** The owner of an exchange. For anyone else, the exchange does not exist. */
export type OwnerParams = [tenantId: string, memberId: string, clientId: string, configurationId: string];

export function ownerParamsOf({ tenantId, memberId, clientId, configurationId }: Principal): OwnerParams {
  if (!memberId || !clientId || !configurationId)
    throw new Error('exchanges require a member, a client and a configuration');
  return [tenantId, memberId, clientId, configurationId];
}

const isOwnExchange = 'e.tenant_id = $1 and e.member_id = $2 and e.client_id = $3 and e.configuration_id = $4';

/** Inserts no row if the id is already in use. */
export const insertExchange = statement<
  [...OwnerParams, id: string, sessionId: string | null, requestIdJson: string | null, aliveSeconds: number]
>(
  `insert into mcp_exchanges (tenant_id, member_id, client_id, configuration_id, id, session_id, request_id, alive_until)
   values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + $8 * interval '1 second')
   on conflict do nothing`,
);

export const insertMessage = statement<
  [tenantId: string, exchangeId: string, number: number, kind: 'asked' | 'ended', sealed: Buffer]
>(
  `insert into mcp_exchange_messages (tenant_id, exchange_id, number, kind, message_sealed) values ($1, $2, $3, $4, $5)`,
);

/** Closes the question. A later answer has no effect. */
export const withdrawRequest = statement<[tenantId: string, exchangeId: string, number: number]>(
  `update mcp_exchange_messages set withdrawn_at = clock_timestamp()
   where tenant_id = $1 and exchange_id = $2 and number = $3 and answer_sealed is null`,
);

export const findExchangeAnswer = statement<
  [tenantId: string, exchangeId: string, number: number],
  { answerSealed: Buffer }
>(
  `select answer_sealed as "answerSealed" from mcp_exchange_messages
   where tenant_id = $1 and exchange_id = $2 and number = $3 and answer_sealed is not null`,
  { neverNull: ['answerSealed'] },
);

/** The first answer counts. Updates no row if this is a later one, or if the question is closed. */
export const storeExchangeAnswer = statement<
  [...OwnerParams, exchangeId: string, number: number, answerSealed: Buffer]
>(
  `update mcp_exchange_messages m set answer_sealed = $7
   from mcp_exchanges e
   where ${isOwnExchange} and e.id = $5 and e.alive_until > clock_timestamp()
     and m.tenant_id = e.tenant_id and m.exchange_id = e.id and m.number = $6
     and m.kind = 'asked' and m.answer_sealed is null and m.withdrawn_at is null`,
);

/**
 * Returns a row if the question was answered or withdrawn, or the exchange has ended. No row for a question that was
 * never asked.
 */
export const findClosedRequest = statement<[...OwnerParams, exchangeId: string, number: number], { number: number }>(
  `select m.number from mcp_exchanges e
   join mcp_exchange_messages m on m.tenant_id = e.tenant_id and m.exchange_id = e.id and m.number = $6 and m.kind = 'asked'
   where ${isOwnExchange} and e.id = $5
     and (m.answer_sealed is not null or m.withdrawn_at is not null or exists (
       select 1 from mcp_exchange_messages o where o.tenant_id = e.tenant_id and o.exchange_id = e.id and o.kind = 'ended'))`,
);

/** Without a message, only `isAlive` is set. */
export interface NextMessage {
  isAlive: boolean;
  number: number | null;
  kind: 'asked' | 'ended' | null;
  sealed: Buffer | null;
}

/** The end of the exchange if it is stored, otherwise the oldest open question. */
export const findNextMessage = statement<[...OwnerParams, exchangeId: string, afterNumber: number], NextMessage>(
  `select e.alive_until > clock_timestamp() as "isAlive", m.number, m.kind, m.message_sealed as sealed
   from mcp_exchanges e
   left join lateral (
     select number, kind, message_sealed from mcp_exchange_messages
     where tenant_id = e.tenant_id and exchange_id = e.id and number > $6
       and (kind = 'ended' or answer_sealed is null and withdrawn_at is null)
     order by kind = 'ended' desc, number limit 1
   ) m on true
   where ${isOwnExchange} and e.id = $5`,
);
