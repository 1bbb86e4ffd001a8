import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../platform/database/database.service.js';
import { Gather } from '../platform/database/gather.js';
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
  private readonly waiting = new Map<string, Set<() => void>>();
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
    this.wakes.on(topic, (ids) => {
      for (const id of ids === 'all' ? [...this.waiting.keys()] : ids) this.waiting.get(id)?.forEach((wake) => wake());
    });
  }

  /** Ends when the call is in none of these states any more, or the signal ends: without an error, whichever it was. */
  async left(states: readonly CallState[], call: Place, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const moved = this.moved(call.id, signal); // heard from before the look on, so that nothing is missed in between
      const state = await this.looking.ask(call);
      if (!state || !states.includes(state)) return moved.forget();
      await moved.promise;
    }
  }

  private moved(id: string, signal: AbortSignal): { promise: Promise<void>; forget: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wakes = this.waiting.get(id) ?? new Set();
    const wake = () => {
      if (!wakes.delete(wake)) return;
      if (!wakes.size) this.waiting.delete(id);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    this.waiting.set(id, wakes.add(wake));
    signal.addEventListener('abort', wake, { once: true });
    return { promise, forget: wake };
  }
}
