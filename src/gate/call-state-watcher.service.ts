import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { ChangeNotifier } from '../platform/events/change-notifier.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { listCallStates } from './ledger.sql.js';
import { CallSettlementService } from './call-settlement.service.js';
import type { CallState } from './tool-call.entity.js';

interface CallKey {
  tenantId: string;
  id: string;
}

const callsTopic = 'calls';

/** Watches calls that this process waits for, whichever process changes their state. */
@Injectable()
export class CallStateWatcher implements OnModuleInit {
  private readonly changes = new ChangeNotifier();
  /** Many calls wait for people at the same time: one statement a second loads the states of all of them. */
  private readonly stateLoader = new Batcher<CallKey, CallState | undefined>((tenantId, keys) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const ids = [...new Set(keys.map(({ id }) => id))];
      const rows = await tx.run(listCallStates, [tenantId, ids]);
      const found = new Map(rows.map(({ id, state }) => [id, state]));
      return keys.map(({ id }) => found.get(id));
    }),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly callSettlement: CallSettlementService,
  ) {}

  onModuleInit(): void {
    this.callSettlement.onSettled(({ callId }) => this.wakeupChannel.publish(callsTopic, callId));
    this.wakeupChannel.subscribe(callsTopic, (ids) => this.changes.notify(ids));
  }

  /** Resolves when the call leaves these states or the signal aborts. Neither case throws. */
  async waitUntilLeft(states: readonly CallState[], call: CallKey, signal: AbortSignal): Promise<void> {
    const check = async () => {
      const state = await this.stateLoader.submit(call);
      return !state || !states.includes(state) ? true : undefined;
    };
    await this.changes.waitFor(call.id, signal, check).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
