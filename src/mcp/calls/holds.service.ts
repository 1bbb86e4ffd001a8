import type { ServerContext } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { CallOutcome } from '../../gate/gate.service.js';
import { type OwnCall, OwnCalls } from '../../gate/own-calls.service.js';
import { Config } from '../../platform/config/config.js';
import type { ClientRequest } from './client-request.js';
import { hearsOfProgress, tellOfWaiting } from './telling.js';

/** Keeps a request open while its call waits for somebody: not for longer than its client has patience. */
@Injectable()
export class Holds {
  constructor(
    private readonly calls: OwnCalls,
    private readonly config: Config,
  ) {}

  /** Until a person has decided. */
  decision({ caller: { principal }, ctx }: ClientRequest, callId: string, message: string): Promise<CallOutcome> {
    return this.hold(ctx, message, async (ms) => {
      const { signal } = ctx.mcpReq;
      return (
        (await this.calls.decidedWithin(principal, callId, ms, signal)) ?? (await this.calls.get(principal, callId))
      );
    });
  }

  /** Until a call that is carried out has come to its end. */
  end({ caller: { principal }, ctx }: ClientRequest, callId: string): Promise<CallOutcome> {
    return this.hold(ctx, 'The call is under way.', async (ms) => {
      const { signal } = ctx.mcpReq;
      return (
        (await this.calls.settledWithin(principal, callId, ms, signal)) ?? (await this.calls.get(principal, callId))
      );
    });
  }

  /** Most clients give up after a minute, but where they hear of progress. */
  private async hold(
    ctx: ServerContext,
    message: string,
    wait: (ms: number) => Promise<OwnCall>,
  ): Promise<CallOutcome> {
    const { ms, withProgressMs, progressMs } = this.config.hold;
    if (!hearsOfProgress(ctx)) return wait(ms);
    tellOfWaiting(ctx, message);
    const telling = setInterval(() => tellOfWaiting(ctx, message), progressMs);
    try {
      return await wait(withProgressMs);
    } finally {
      clearInterval(telling);
    }
  }
}
