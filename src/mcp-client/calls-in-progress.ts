import { ProtocolError } from '@modelcontextprotocol/client';
import type { UpstreamCall } from './upstream-call.js';

/** The maximum duration of a call: until then, a question of an abandoned call must not reach another caller. */
const abandonedCallMs = 5 * 60_000;

/** The calls of one client that its server may be processing. */
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
   * The call that a server request outside any call's stream belongs to; some servers lose track of the call that they
   * process. Undefined if more than one call is possible: then no caller may be asked.
   */
  onlyCall(): UpstreamCall | undefined {
    for (const [upstreamCall, until] of this.expiresAt) if (until < Date.now()) this.expiresAt.delete(upstreamCall);
    const [only, ...others] = this.expiresAt.keys();
    return others.length ? undefined : only;
  }
}
