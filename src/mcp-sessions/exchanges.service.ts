import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { newId } from '../platform/crypto/ids.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { Principal } from '../principal/principal.js';
import { McpExchange, type NamedMessages } from './mcp-exchange.js';
import { ExchangeGone } from './exchanges.error.js';
import {
  storeExchangeAnswer,
  findExchangeAnswer,
  insertExchange,
  insertMessage,
  findClosedRequest,
  findNextMessage,
  ownerParamsOf,
  withdrawRequest,
} from './exchanges.sql.js';
import { ExchangeLeaseService, exchangeLeaseSeconds } from './exchange-lease.service.js';
import { ChangeNotifier } from '../platform/events/change-notifier.js';
import { exchangesTopic } from './topics.js';

export type { McpExchange };

/** The next message in an exchange. `gone`: the process that ran it died, or the caller has no such exchange. */
export type ExchangeUpdate =
  { number: number; asked: NamedMessages } | { number: number; ended: JsonObject } | { gone: true };

/**
 * Passes questions and answers between the process that runs a call and the processes that receive the caller's later
 * requests. An exchange belongs to one member, client and configuration.
 */
@Injectable()
export class ExchangesService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly changes = new ChangeNotifier();

  constructor(
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly seal: SealService,
    private readonly leases: ExchangeLeaseService,
  ) {}

  onModuleInit(): void {
    this.wakeupChannel.subscribe(exchangesTopic, (ids) => this.changes.notify(ids));
  }

  /** Wakes the processes that wait for exchanges of this one. */
  async beforeApplicationShutdown(): Promise<void> {
    for (const id of await this.leases.releaseAll()) this.wakeupChannel.publish(exchangesTopic, id);
  }

  /**
   * For work that this process begins. Holds a lease until the work ends. `id`: lets others find the exchange, unless an
   * earlier attempt already uses this id. `requestId`: the request in its session.
   */
  async open(
    principal: Principal,
    {
      id = newId(),
      sessionId = null,
      requestId = null,
    }: { id?: string; sessionId?: string | null; requestId?: string | number | null } = {},
  ): Promise<McpExchange> {
    const { tenantId } = principal;
    const inserted = await this.database.tenant(principal, (tx) =>
      tx.execute(insertExchange, [
        ...ownerParamsOf(principal),
        id,
        sessionId,
        requestId === null ? null : JSON.stringify(requestId),
        exchangeLeaseSeconds,
      ]),
    );
    if (!inserted) return this.open(principal, { sessionId, requestId });
    this.leases.acquire(tenantId, id);
    return new McpExchange(id, {
      store: (number, kind, body) =>
        this.changeAndNotify(principal, id, (tx) =>
          tx.execute(insertMessage, [tenantId, id, number, kind, this.sealBody('message', id, number, body)]),
        ),
      waitForResponse: async (number, signal) => {
        const sealed = await this.changes.waitFor(id, signal, () =>
          this.database.tenant(
            principal,
            async (tx) => (await tx.one(findExchangeAnswer, [tenantId, id, number]))?.answerSealed,
          ),
        );
        return this.unsealBody('answer', id, number, sealed) as NamedMessages;
      },
      withdraw: (number) =>
        this.changeAndNotify(principal, id, (tx) => tx.execute(withdrawRequest, [tenantId, id, number])),
      release: () => this.leases.release(id),
    });
  }

  /** Callable from any process. The first answer to a question counts. Throws ExchangeGone. */
  async respond(principal: Principal, id: string, number: number, responses: NamedMessages): Promise<void> {
    const owner = ownerParamsOf(principal);
    const sealed = this.sealBody('answer', id, number, responses);
    await this.changeAndNotify(principal, id, async (tx) => {
      if (await tx.execute(storeExchangeAnswer, [...owner, id, number, sealed])) return;
      if (!(await tx.one(findClosedRequest, [...owner, id, number]))) throw new ExchangeGone(id);
    });
  }

  /** Callable from any process. Waits for a message after number `after`, initially 0. Throws the reason of an aborted signal. */
  next(principal: Principal, id: string, after: number, signal: AbortSignal): Promise<ExchangeUpdate> {
    const owner = ownerParamsOf(principal);
    return this.changes.waitFor(id, signal, async () => {
      const row = await this.database.tenant(principal, (tx) => tx.one(findNextMessage, [...owner, id, after]));
      if (!row) return { gone: true };
      const { isAlive, number, kind, sealed } = row;
      if (!isAlive && kind !== 'ended') return { gone: true };
      if (number === null || sealed === null) return undefined;
      const body = this.unsealBody('message', id, number, sealed);
      return kind === 'ended' ? { number, ended: body } : { number, asked: body as NamedMessages };
    });
  }

  private changeAndNotify(principal: Principal, id: string, run: (tx: Tx) => Promise<unknown>): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      await run(tx);
      tx.afterCommit(() => this.wakeupChannel.publish(exchangesTopic, id));
    });
  }

  private sealBody(column: 'message' | 'answer', id: string, number: number, body: JsonObject): Buffer {
    return this.seal.seal(JSON.stringify(body), exchangeSealContext(column, id, number));
  }

  private unsealBody(column: 'message' | 'answer', id: string, number: number, sealed: Buffer): JsonObject {
    return JSON.parse(this.seal.open(sealed, exchangeSealContext(column, id, number)).toString()) as JsonObject;
  }
}

const exchangeSealContext = (column: string, id: string, number: number) => ({
  table: 'mcp_exchange_messages',
  column: `${column}_sealed`,
  row: `${id}/${number}`,
});
