import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../platform/crypto/ids.js';
import { Seal } from '../platform/crypto/seal.service.js';
import { afterCommit, Database } from '../platform/database/database.service.js';
import { Wakes } from '../platform/events/wakes.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { Principal } from '../principal/principal.js';
import { Exchange, type Named } from './exchange.js';
import { ExchangeGone } from './exchanges.error.js';
import {
  answer,
  answerOf,
  insertExchange,
  insertMessage,
  isSettled,
  nextMessage,
  partyOf,
  withdraw,
} from './exchanges.sql.js';
import { HeldExchanges, holdSeconds } from './held-exchanges.service.js';
import { News } from '../platform/events/news.js';
import { exchangesTopic } from './topics.js';

export type { Exchange };

/** What comes next in an exchange. `gone`: the process that worked on it died, or there is no such exchange of this caller. */
export type Next = { number: number; asked: Named } | { number: number; ended: JsonObject } | { gone: true };

/**
 * Questions in the middle of a call, and their answers, between the process that works on the call and whichever process its
 * caller comes back to. An exchange belongs to one member, by one client, in one configuration.
 */
@Injectable()
export class ExchangesService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly news = new News();

  constructor(
    private readonly database: Database,
    private readonly wakes: Wakes,
    private readonly seal: Seal,
    private readonly held: HeldExchanges,
  ) {}

  onModuleInit(): void {
    this.wakes.on(exchangesTopic, (ids) => this.news.heard(ids));
  }

  /** Whoever waits for what was held here is to know at once. */
  async beforeApplicationShutdown(): Promise<void> {
    for (const id of await this.held.letGoOfAll()) this.wakes.send(exchangesTopic, id);
  }

  /**
   * For work that this process begins. It is held until it ends. `id`: of what others may look for it by, where no earlier
   * attempt at that has it. `requestId`: of the request in its session.
   */
  async open(
    principal: Principal,
    {
      id = newId(),
      sessionId = null,
      requestId = null,
    }: { id?: string; sessionId?: string | null; requestId?: string | number | null } = {},
  ): Promise<Exchange> {
    const { tenantId } = principal;
    const isNew = await this.database.tenant(principal, (tx) =>
      insertExchange(tx, partyOf(principal), {
        id,
        sessionId,
        requestId: requestId === null ? null : JSON.stringify(requestId),
        aliveSeconds: holdSeconds,
      }),
    );
    if (!isNew) return this.open(principal, { sessionId, requestId });
    this.held.hold(tenantId, id);
    return new Exchange(id, {
      write: (number, kind, body) =>
        this.change(principal, id, (tx) =>
          insertMessage(tx, tenantId, {
            exchangeId: id,
            number,
            kind,
            sealed: this.close('message', id, number, body),
          }),
        ),
      answer: async (number, signal) => {
        const sealed = await this.news.until(id, signal, () =>
          this.database.tenant(principal, (tx) => answerOf(tx, tenantId, id, number)),
        );
        return this.read('answer', id, number, sealed) as Named;
      },
      withdraw: (number) => this.change(principal, id, (tx) => withdraw(tx, tenantId, id, number)),
      letGo: () => this.held.letGo(id),
    });
  }

  /** From any process. Of several answers to the same question the first counts. Throws ExchangeGone. */
  async answer(principal: Principal, id: string, number: number, responses: Named): Promise<void> {
    const party = partyOf(principal);
    const sealed = this.close('answer', id, number, responses);
    await this.change(principal, id, async (tx) => {
      if (await answer(tx, party, id, number, sealed)) return;
      if (!(await isSettled(tx, party, id, number))) throw new ExchangeGone(id);
    });
  }

  /** From any process: waits for what comes after the number, 0 at first. Throws the signal's reason when it is called off. */
  next(principal: Principal, id: string, after: number, signal: AbortSignal): Promise<Next> {
    const party = partyOf(principal);
    return this.news.until(id, signal, async () => {
      const row = await this.database.tenant(principal, (tx) => nextMessage(tx, party, id, after));
      if (!row) return { gone: true };
      const { isAlive, number, kind, sealed } = row;
      if (number !== null && kind === 'ended') return { number, ended: this.read('message', id, number, sealed) };
      if (!isAlive) return { gone: true };
      return number === null ? undefined : { number, asked: this.read('message', id, number, sealed) as Named };
    });
  }

  private change(principal: Principal, id: string, run: (tx: EntityManager) => Promise<unknown>): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      await run(tx);
      afterCommit(tx, () => this.wakes.send(exchangesTopic, id));
    });
  }

  private close(column: 'message' | 'answer', id: string, number: number, body: JsonObject): Buffer {
    return this.seal.seal(JSON.stringify(body), placeOf(column, id, number));
  }

  private read(column: 'message' | 'answer', id: string, number: number, sealed: Buffer): JsonObject {
    return JSON.parse(this.seal.open(sealed, placeOf(column, id, number)).toString()) as JsonObject;
  }
}

const placeOf = (column: string, id: string, number: number) => ({
  table: 'mcp_exchange_messages',
  column: `${column}_sealed`,
  row: `${id}/${number}`,
});
