import type { ServerContext } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { OwnCalls } from '../../gate/own-calls.service.js';
import type { CallOutcome } from '../../gate/gate.service.js';
import { Config } from '../../platform/config/config.js';
import type { Caller } from '../caller.js';
import { tellProgress } from './telling.js';

/** Keeps a request open while its call waits for somebody. */
@Injectable()
export class Holds {
  constructor(
    private readonly calls: OwnCalls,
    private readonly config: Config,
  ) {}

  /** Of a call that may still be carried out right now. */
  end(caller: Caller, ctx: ServerContext, outcome: CallOutcome): Promise<CallOutcome> | CallOutcome {
    return outcome.state === 'executing'
      ? this.outcome(caller, ctx, outcome.callId, 'The call is under way.')
      : outcome;
  }

  /**
   * The outcome, as soon as there is one; else where the call stands when its client should wait no longer. Most clients
   * give up after a minute, but where they hear of progress.
   */
  async outcome({ principal }: Caller, ctx: ServerContext, callId: string, message: string): Promise<CallOutcome> {
    const { ms, withProgressMs, progressMs } = this.config.hold;
    const hears = ctx.mcpReq._meta?.progressToken !== undefined;
    let progress = 0;
    const tell = () => tellProgress(ctx, { progress: ++progress, message });
    if (hears) tell();
    const telling = hears ? setInterval(tell, progressMs) : undefined;
    try {
      const held = await this.calls.settledWithin(principal, callId, hears ? withProgressMs : ms, ctx.mcpReq.signal);
      return held ?? (await this.calls.get(principal, callId));
    } finally {
      clearInterval(telling);
    }
  }
}
