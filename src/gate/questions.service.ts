import { Injectable } from '@nestjs/common';
import type { Conversation } from '../connections/tools.service.js';
import { Config } from '../platform/config/config.js';
import { Database } from '../platform/database/database.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import type { CallClock } from './call-clock.js';
import { renew } from './ledger.sql.js';
import { graceSeconds } from './starts.service.js';
import type { ToolCall } from './tool-call.entity.js';

const renewMs = 5000;

/**
 * What a connected system asks the caller in the middle of a call. A person takes their time: until they have answered, the
 * call's clock stands still, and its row says that somebody is at work on it.
 */
@Injectable()
export class Questions {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /** The conversation, as the connected system gets it. */
  within(conversation: Conversation, call: ToolCall, clock: CallClock): Conversation {
    conversation.belongsTo?.(call.id);
    let leftMs = this.config.limits.questionSeconds * 1000;
    return {
      capabilities: conversation.capabilities,
      progress: (params) => conversation.progress(params),
      log: (params) => conversation.log(params),
      ask: (requests, signal) =>
        clock.standStill(async () => {
          const askedAt = performance.now();
          const patience = AbortSignal.timeout(Math.ceil(leftMs));
          const renewing = setInterval(() => void this.renew(call, clock), renewMs).unref();
          try {
            return await conversation.ask(requests, AbortSignal.any([signal, clock.signal, patience]));
          } finally {
            clearInterval(renewing);
            leftMs = Math.max(0, leftMs - (performance.now() - askedAt));
          }
        }),
    };
  }

  private async renew(call: ToolCall, clock: CallClock): Promise<void> {
    const seconds = Math.ceil(clock.ms / 1000) + graceSeconds;
    try {
      const isOurs = await this.database.tenant(call, (tx) => renew(tx, call, seconds));
      if (!isOurs) clock.abort(new Error('the call was taken for lost while its caller was asked'));
    } catch (error) {
      this.log.warn({ err: error, callId: call.id }, 'the lease of a call was not renewed; it is tried again');
    }
  }
}
