import { Injectable } from '@nestjs/common';
import type { Conversation } from '../connections/tools.service.js';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { CallDeadline } from './call-deadline.js';
import { renewExecution } from './ledger.sql.js';
import { graceSeconds } from './call-dispatch.service.js';
import type { ToolCall } from './tool-call.entity.js';

const renewMs = 5000;

/**
 * Forwards questions that a connected system asks the caller during a call. People answer slowly, so the call's
 * deadline pauses until the answer, and its lease is renewed.
 */
@Injectable()
export class CallElicitationService {
  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly log: LogService,
  ) {}

  /** Wraps the conversation for the connected system. */
  wrap(conversation: Conversation, call: ToolCall, deadline: CallDeadline): Conversation {
    conversation.belongsTo?.(call.id);
    const questionMs = this.config.limits.questionSeconds * 1000;
    return {
      capabilities: conversation.capabilities,
      progress: (params) => conversation.progress(params),
      log: (params) => conversation.log(params),
      ask: (requests, signal) =>
        deadline.pauseWhile(async () => {
          const answerTimeout = AbortSignal.timeout(Math.max(0, Math.ceil(questionMs - deadline.pausedMs)));
          const renewing = setInterval(() => void this.renewLease(call, deadline), renewMs).unref();
          try {
            return await conversation.ask(requests, AbortSignal.any([signal, deadline.signal, answerTimeout]));
          } finally {
            clearInterval(renewing);
          }
        }),
    };
  }

  private async renewLease(call: ToolCall, deadline: CallDeadline): Promise<void> {
    const seconds = Math.ceil(deadline.remainingMs / 1000) + graceSeconds;
    try {
      const isOurs = await this.database.tenant(call, (tx) => renewExecution(tx, call, seconds));
      if (!isOurs) deadline.abort(new Error('the call was declared lost while its caller was answering a question'));
    } catch (error) {
      this.log.warn({ err: error, callId: call.id }, 'call lease could not be renewed; retrying');
    }
  }
}
