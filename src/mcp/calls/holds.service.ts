import { Injectable } from '@nestjs/common';
import type { CallOutcome } from '../../gate/gate.service.js';
import { type OwnCall, OwnCalls } from '../../gate/own-calls.service.js';
import { Config } from '../../platform/config/config.js';
import { Closing } from '../../platform/http/closing.service.js';
import type { ClientRequest } from './client-request.js';
import { hearsOfProgress, tellOfWaiting } from './telling.js';

/**
 * Holds a request open while its call waits for a person, or is under way, for less time than its client waits for a response:
 * all holds of one request end together, a time after it arrived.
 */
@Injectable()
export class Holds {
  constructor(
    private readonly calls: OwnCalls,
    private readonly closing: Closing,
    private readonly config: Config,
  ) {}

  /** Until a person has decided. */
  decision(request: ClientRequest, callId: string, message: string): Promise<CallOutcome> {
    const { principal } = request.caller;
    return this.hold(request, message, (ms, signal) => this.calls.decidedWithin(principal, callId, ms, signal));
  }

  /** Until a call that is carried out has come to its end. */
  end(request: ClientRequest, callId: string): Promise<CallOutcome> {
    const { principal } = request.caller;
    return this.hold(request, 'The call is under way.', (ms, signal) =>
      this.calls.settledWithin(principal, callId, ms, signal),
    );
  }

  /** How much of the time of a client without progress is left. */
  silentMs({ arrivedAt }: ClientRequest): number {
    return left(this.config.hold.ms, arrivedAt);
  }

  /** Progress does not extend the time-out of every client, so that the hold stays below their defaults in both cases. */
  private async hold(
    request: ClientRequest,
    message: string,
    wait: (ms: number, signal: AbortSignal) => Promise<OwnCall>,
  ): Promise<CallOutcome> {
    const { ctx, arrivedAt } = request;
    const { withProgressMs, progressMs } = this.config.hold;
    const signal = AbortSignal.any([ctx.mcpReq.signal, this.closing.signal]);
    if (!hearsOfProgress(ctx)) return wait(this.silentMs(request), signal);
    tellOfWaiting(ctx, message);
    const telling = setInterval(() => tellOfWaiting(ctx, message), progressMs);
    try {
      return await wait(left(withProgressMs, arrivedAt), signal);
    } finally {
      clearInterval(telling);
    }
  }
}

const left = (ms: number, since: number): number => Math.max(0, Math.floor(since + ms - performance.now()));
