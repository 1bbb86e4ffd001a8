import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';

/** The owner of an exchange. For anyone else, the exchange does not exist. */
export interface SessionOwner {
  tenantId: string;
  memberId: string;
  clientId: string;
  configurationId: string;
}

export function sessionOwnerOf({ tenantId, memberId, clientId, configurationId }: Principal): SessionOwner {
  if (!memberId || !clientId || !configurationId)
    throw new Error('exchanges require a member, a client and a configuration');
  return { tenantId, memberId, clientId, configurationId };
}

const ownerValues = ({ tenantId, memberId, clientId, configurationId }: SessionOwner) => [
  tenantId,
  memberId,
  clientId,
  configurationId,
];
const ownedBy = (exchange: string) =>
  `${exchange}.tenant_id = $1 and ${exchange}.member_id = $2 and ${exchange}.client_id = $3 and ${exchange}.configuration_id = $4`;

interface NewExchange {
  id: string;
  sessionId: string | null;
  /** JSON text */
  requestId: string | null;
  aliveSeconds: number;
}

/** False: the id is already in use. */
export async function insertExchange(
  tx: Tx,
  party: SessionOwner,
  { id, sessionId, requestId, aliveSeconds }: NewExchange,
): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `insert into mcp_exchanges (tenant_id, member_id, client_id, configuration_id, id, session_id, request_id, alive_until)
     values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + $8 * interval '1 second')
     on conflict do nothing returning 1`,
    [...ownerValues(party), id, sessionId, requestId, aliveSeconds],
  );
  return rows.length > 0;
}

export const insertMessage = (
  tx: Tx,
  tenantId: string,
  message: { exchangeId: string; number: number; kind: 'asked' | 'ended'; sealed: Buffer },
) =>
  tx.query(
    `insert into mcp_exchange_messages (tenant_id, exchange_id, number, kind, message_sealed) values ($1, $2, $3, $4, $5)`,
    [tenantId, message.exchangeId, message.number, message.kind, message.sealed],
  );

/** Closes the question. A later answer has no effect. */
export const withdrawRequest = (tx: Tx, tenantId: string, exchangeId: string, number: number) =>
  tx.query(
    `update mcp_exchange_messages set withdrawn_at = clock_timestamp()
     where tenant_id = $1 and exchange_id = $2 and number = $3 and answer_sealed is null`,
    [tenantId, exchangeId, number],
  );

export async function findExchangeAnswer(
  tx: Tx,
  tenantId: string,
  exchangeId: string,
  number: number,
): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ answer: Buffer }[]>(
    `select answer_sealed as answer from mcp_exchange_messages
     where tenant_id = $1 and exchange_id = $2 and number = $3 and answer_sealed is not null`,
    [tenantId, exchangeId, number],
  );
  return row?.answer;
}

/** The first answer counts. Returns whether this is the first. */
export async function storeExchangeAnswer(
  tx: Tx,
  party: SessionOwner,
  exchangeId: string,
  number: number,
  sealed: Buffer,
): Promise<boolean> {
  const [, changed] = await tx.query<[unknown, number]>(
    `update mcp_exchange_messages m set answer_sealed = $7
     from mcp_exchanges e
     where ${ownedBy('e')} and e.id = $5 and e.alive_until > clock_timestamp()
       and m.tenant_id = e.tenant_id and m.exchange_id = e.id and m.number = $6
       and m.kind = 'asked' and m.answer_sealed is null and m.withdrawn_at is null`,
    [...ownerValues(party), exchangeId, number, sealed],
  );
  return changed === 1;
}

/** The question was answered or withdrawn, or the exchange has ended. False for a question that was never asked. */
export async function isRequestClosed(
  tx: Tx,
  party: SessionOwner,
  exchangeId: string,
  number: number,
): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `select 1 from mcp_exchanges e
     join mcp_exchange_messages m on m.tenant_id = e.tenant_id and m.exchange_id = e.id and m.number = $6 and m.kind = 'asked'
     where ${ownedBy('e')} and e.id = $5
       and (m.answer_sealed is not null or m.withdrawn_at is not null or exists (
         select 1 from mcp_exchange_messages o where o.tenant_id = e.tenant_id and o.exchange_id = e.id and o.kind = 'ended'))`,
    [...ownerValues(party), exchangeId, number],
  );
  return rows.length > 0;
}

export interface ExchangeMessageRow {
  isAlive: boolean;
  /** Null: no message yet. */
  number: number | null;
  kind: 'asked' | 'ended';
  sealed: Buffer;
}

/** The end of the exchange if it is stored, otherwise the oldest open question. */
export async function findNextMessage(
  tx: Tx,
  party: SessionOwner,
  exchangeId: string,
  after: number,
): Promise<ExchangeMessageRow | undefined> {
  const [row] = await tx.query<ExchangeMessageRow[]>(
    `select e.alive_until > clock_timestamp() as "isAlive", m.number, m.kind, m.message_sealed as sealed
     from mcp_exchanges e
     left join lateral (
       select number, kind, message_sealed from mcp_exchange_messages
       where tenant_id = e.tenant_id and exchange_id = e.id and number > $6
         and (kind = 'ended' or answer_sealed is null and withdrawn_at is null)
       order by kind = 'ended' desc, number limit 1
     ) m on true
     where ${ownedBy('e')} and e.id = $5`,
    [...ownerValues(party), exchangeId, after],
  );
  return row;
}
