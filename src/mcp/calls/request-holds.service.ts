import { Injectable } from '@nestjs/common';
import type { CallOutcome } from '../../gate/gate.service.js';
import { type OwnCall, OwnCallsService } from '../../gate/own-calls.service.js';
import { Config } from '../../platform/config/config.js';
import { ShutdownService } from '../../platform/http/shutdown.service.js';
import type { ClientRequest } from './client-request.js';
import { wantsProgress, notifyWaiting } from './client-notifications.js';

/**
 * Holds a request open while its call waits for a person, or is under way, for less time than its client waits for a response:
 * all holds of one request end together, a time after it arrived.
 */
@Injectable()
export class RequestHoldsService {
  constructor(
    private readonly calls: OwnCallsService,
    private readonly shutdown: ShutdownService,
    private readonly config: Config,
  ) {}

  /** Until a person has decided. */
  untilDecided(request: ClientRequest, callId: string, message: string): Promise<CallOutcome> {
    const { principal } = request.caller;
    return this.hold(request, message, (ms, signal) => this.calls.waitUntilDecided(principal, callId, ms, signal));
  }

  /** Until a call that is carried out has come to its end. */
  untilSettled(request: ClientRequest, callId: string): Promise<CallOutcome> {
    const { principal } = request.caller;
    return this.hold(request, 'The call is under way.', (ms, signal) =>
      this.calls.waitUntilSettled(principal, callId, ms, signal),
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
    const signal = AbortSignal.any([ctx.mcpReq.signal, this.shutdown.signal]);
    if (!wantsProgress(ctx)) return wait(this.silentMs(request), signal);
    notifyWaiting(ctx, message);
    const progressTimer = setInterval(() => notifyWaiting(ctx, message), progressMs);
    try {
      return await wait(left(withProgressMs, arrivedAt), signal);
    } finally {
      clearInterval(progressTimer);
    }
  }
}

const left = (ms: number, since: number): number => Math.max(0, Math.floor(since + ms - performance.now()));
