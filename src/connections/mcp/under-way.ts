import { ProtocolError } from '@modelcontextprotocol/client';
import type { Journey } from './journey.js';

/** As long as a call may take: what one that was given up asks by then must not reach somebody else. */
const givenUpMs = 5 * 60_000;

/** The calls of one client that its server may be working on. */
export class UnderWay {
  private readonly countsUntil = new Map<Journey, number>();

  async during<T>(journey: Journey, run: () => Promise<T>): Promise<T> {
    this.countsUntil.set(journey, Infinity);
    try {
      const answer = await run();
      this.countsUntil.delete(journey);
      return answer;
    } catch (error) {
      if (error instanceof ProtocolError || !journey.isSent) this.countsUntil.delete(journey);
      else this.countsUntil.set(journey, Date.now() + givenUpMs);
      throw error;
    }
  }

  /**
   * The one call that a question can mean which came on a line of its own, as servers send it that lose track of the call they
   * are working on. Where it could mean another one, nobody may be asked.
   */
  only(): Journey | undefined {
    for (const [journey, until] of this.countsUntil) if (until < Date.now()) this.countsUntil.delete(journey);
    const [only, ...others] = this.countsUntil.keys();
    return others.length ? undefined : only;
  }
}
