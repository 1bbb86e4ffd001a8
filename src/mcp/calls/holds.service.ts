import { Injectable } from '@nestjs/common';
import type { CallOutcome } from '../../gate/gate.service.js';
import { type OwnCall, OwnCalls } from '../../gate/own-calls.service.js';
import { Config } from '../../platform/config/config.js';
import { Closing } from '../../platform/http/closing.service.js';
import type { ClientRequest, RequestContext } from './client-request.js';
import { hearsOfProgress, tellOfWaiting } from './telling.js';

/** Holds a request open while its call waits for a person, for less time than its client waits for a response. */
@Injectable()
export class Holds {
  constructor(
    private readonly calls: OwnCalls,
    private readonly closing: Closing,
    private readonly config: Config,
  ) {}

  /** Until a person has decided. */
  decision({ caller: { principal }, ctx }: ClientRequest, callId: string, message: string): Promise<CallOutcome> {
    return this.hold(ctx, message, (ms, signal) => this.calls.decidedWithin(principal, callId, ms, signal));
  }

  /** Until a call that is carried out has come to its end. */
  end({ caller: { principal }, ctx }: ClientRequest, callId: string): Promise<CallOutcome> {
    return this.hold(ctx, 'The call is under way.', (ms, signal) =>
      this.calls.settledWithin(principal, callId, ms, signal),
    );
  }

  /** Progress does not extend the time-out of every client, so that the hold stays below their defaults in both cases. */
  private async hold(
    ctx: RequestContext,
    message: string,
    wait: (ms: number, signal: AbortSignal) => Promise<OwnCall>,
  ): Promise<CallOutcome> {
    const { ms, withProgressMs, progressMs } = this.config.hold;
    const signal = AbortSignal.any([ctx.mcpReq.signal, this.closing.signal]);
    if (!hearsOfProgress(ctx)) return wait(ms, signal);
    tellOfWaiting(ctx, message);
    const telling = setInterval(() => tellOfWaiting(ctx, message), progressMs);
    try {
      return await wait(withProgressMs, signal);
    } finally {
      clearInterval(telling);
    }
  }
}
