import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../platform/database/database.service.js';
import { Gather } from '../platform/database/gather.js';
import { News } from '../platform/events/news.js';
import { Wakes } from '../platform/events/wakes.service.js';
import { positions } from './ledger.sql.js';
import { Settled } from './settled.service.js';
import type { CallState } from './tool-call.entity.js';

interface Place {
  tenantId: string;
  id: string;
}

const topic = 'calls';

/** Calls that somebody on this process waits for, whichever process moves them. */
@Injectable()
export class Movements implements OnModuleInit {
  private readonly news = new News();
  /** Many wait for a person at the same time: one statement each second looks after all of them. */
  private readonly looking = new Gather<Place, CallState | undefined>((tenantId, asked) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const ids = [...new Set(asked.map(({ id }) => id))];
      const found = new Map((await positions(tx, tenantId, ids)).map(({ id, state }) => [id, state]));
      return asked.map(({ id }) => found.get(id));
    }),
  );

  constructor(
    private readonly database: Database,
    private readonly wakes: Wakes,
    private readonly settled: Settled,
  ) {}

  onModuleInit(): void {
    this.settled.on(({ callId }) => this.wakes.send(topic, callId));
    this.wakes.on(topic, (ids) => this.news.heard(ids));
  }

  /** Ends when the call is in none of these states any more, or the signal ends: without an error, whichever it was. */
  async left(states: readonly CallState[], call: Place, signal: AbortSignal): Promise<void> {
    const look = async () => {
      const state = await this.looking.ask(call);
      return !state || !states.includes(state) ? true : undefined;
    };
    await this.news.until(call.id, signal, look).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
