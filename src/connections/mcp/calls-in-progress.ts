import { ProtocolError } from '@modelcontextprotocol/client';
import type { UpstreamCall } from './upstream-call.js';

/** As long as a call may take: what one that was given up asks by then must not reach somebody else. */
const abandonedCallMs = 5 * 60_000;

/** The calls of one client that its server may be working on. */
export class CallsInProgress {
  private readonly expiresAt = new Map<UpstreamCall, number>();

  async track<T>(upstreamCall: UpstreamCall, run: () => Promise<T>): Promise<T> {
    this.expiresAt.set(upstreamCall, Infinity);
    try {
      const answer = await run();
      this.expiresAt.delete(upstreamCall);
      return answer;
    } catch (error) {
      if (error instanceof ProtocolError || !upstreamCall.isSent) this.expiresAt.delete(upstreamCall);
      else this.expiresAt.set(upstreamCall, Date.now() + abandonedCallMs);
      throw error;
    }
  }

  /**
   * The one call that a question can mean which came on a line of its own, as servers send it that lose track of the call they
   * are working on. Where it could mean another one, nobody may be asked.
   */
  onlyCall(): UpstreamCall | undefined {
    for (const [upstreamCall, until] of this.expiresAt) if (until < Date.now()) this.expiresAt.delete(upstreamCall);
    const [only, ...others] = this.expiresAt.keys();
    return others.length ? undefined : only;
  }
}
