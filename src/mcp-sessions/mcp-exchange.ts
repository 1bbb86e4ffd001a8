import type { JsonObject } from '../platform/json/strict-json.js';

/** Requests or answers of one round trip, by names that the requester chooses. */
export type NamedMessages = Record<string, JsonObject>;

export interface ExchangeChannel {
  /** Stores the message, then notifies the waiting processes. */
  store(number: number, kind: 'asked' | 'ended', body: JsonObject): Promise<void>;
  /** Throws the reason of an aborted signal. */
  waitForResponse(number: number, signal: AbortSignal): Promise<NamedMessages>;
  withdraw(number: number): Promise<void>;
  release(): void;
}

/** Work in this process that may question its caller. The caller may send the answer to any process. */
export class McpExchange {
  private last = 0;

  constructor(
    readonly id: string,
    private readonly channel: ExchangeChannel,
  ) {}

  /** Several requests may be open at the same time. Aborting the signal withdraws the request. */
  async request(requests: NamedMessages, signal: AbortSignal): Promise<NamedMessages> {
    return this.waitForResponse(await this.send(requests), signal);
  }

  /** Returns the number of the request. */
  async send(requests: NamedMessages): Promise<number> {
    const number = ++this.last;
    await this.channel.store(number, 'asked', requests);
    return number;
  }

  async waitForResponse(number: number, signal: AbortSignal): Promise<NamedMessages> {
    try {
      return await this.channel.waitForResponse(number, signal);
    } catch (error) {
      await this.channel.withdraw(number).catch(() => undefined); // report the first error
      throw error;
    }
  }

  /** Stores the result. No requests may follow. */
  async complete(result: JsonObject): Promise<void> {
    try {
      await this.channel.store(++this.last, 'ended', result);
    } finally {
      this.channel.release();
    }
  }

  /** Ends the work without a stored result. */
  release(): void {
    this.channel.release();
  }
}
