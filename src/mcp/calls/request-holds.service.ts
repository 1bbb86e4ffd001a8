import { Injectable } from '@nestjs/common';
import type { CallOutcome } from '../../gate/gate.service.js';
import { type OwnCall, OwnCallsService } from '../../gate/own-calls.service.js';
import { Config } from '../../platform/config/config.js';
import { ShutdownService } from '../../platform/http/shutdown.service.js';
import type { ClientRequest } from './client-request.js';
import { wantsProgress, notifyWaiting } from './client-notifications.js';

/**
 * Holds a request open while its call waits for an approval or runs, for less time than the client's timeout. The time
 * limit counts from the arrival of the request, for all its holds together.
 */
@Injectable()
export class RequestHoldsService {
  constructor(
    private readonly calls: OwnCallsService,
    private readonly shutdown: ShutdownService,
    private readonly config: Config,
  ) {}

  /** Until someone decides the approval. */
  untilDecided(request: ClientRequest, callId: string, message: string): Promise<CallOutcome> {
    const { principal } = request.caller;
    return this.hold(request, message, (ms, signal) => this.calls.waitUntilDecided(principal, callId, ms, signal));
  }

  /** Until a running call ends. */
  untilSettled(request: ClientRequest, callId: string): Promise<CallOutcome> {
    const { principal } = request.caller;
    return this.hold(request, 'The call is running.', (ms, signal) =>
      this.calls.waitUntilSettled(principal, callId, ms, signal),
    );
  }

  /** The remaining hold time for a client that does not receive progress. */
  silentMs({ arrivedAt }: ClientRequest): number {
    return left(this.config.hold.ms, arrivedAt);
  }

  /** Not every client extends its timeout on progress, so both limits stay below the default timeouts of clients. */
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
