import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../command-error.js';

const pauseMs = 1000;
const maxFailures = 3;

/** For requests that take effect once: sends again after a broken connection, and while the first one is in progress. */
export async function sendUntilAnswered<T>(send: () => Promise<T>): Promise<T> {
  for (let failures = 0; ;) {
    try {
      return await send();
    } catch (error) {
      const code = error instanceof CommandError ? error.code : null;
      const isWorthwhile = code === 'idempotency-key-busy' || (code === 'unreachable' && ++failures < maxFailures);
      if (!isWorthwhile) throw error;
      await sleep(pauseMs);
    }
  }
}

/** While a command waits for a long time, a server that restarts is no failure. */
export class LongWaitRetry {
  private failures = 0;

  constructor(
    private readonly maxFailures = 15,
    private readonly pauseMs = 2000,
  ) {}

  succeeded(): void {
    this.failures = 0;
  }

  /** Waits, or throws the error if it is none of the connection or has occurred too often. */
  async failed(error: unknown): Promise<void> {
    const isTemporary =
      error instanceof CommandError &&
      ['unreachable', 'overloaded', 'unexpected-response', 'rate-limited'].includes(error.code);
    if (!isTemporary || ++this.failures > this.maxFailures) throw error;
    await sleep(this.pauseMs);
  }
}
