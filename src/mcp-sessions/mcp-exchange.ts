import type { JsonObject } from '../platform/json/strict-json.js';

/** What is asked, or answered, at once: by names that whoever asks has chosen. */
export type NamedMessages = Record<string, JsonObject>;

export interface ExchangeChannel {
  /** Written down before anybody is told. */
  store(number: number, kind: 'asked' | 'ended', body: JsonObject): Promise<void>;
  /** Throws the signal's reason when it is called off. */
  waitForResponse(number: number, signal: AbortSignal): Promise<NamedMessages>;
  withdraw(number: number): Promise<void>;
  release(): void;
}

/** Work that this process does for a caller who may be asked in the middle of it, and who comes back to any process. */
export class McpExchange {
  private last = 0;

  constructor(
    readonly id: string,
    private readonly channel: ExchangeChannel,
  ) {}

  /** Several may be open at the same time. Called off by the signal, nobody is asked any more. */
  async request(requests: NamedMessages, signal: AbortSignal): Promise<NamedMessages> {
    return this.waitForResponse(await this.send(requests), signal);
  }

  /** Under which number it is asked. */
  async send(requests: NamedMessages): Promise<number> {
    const number = ++this.last;
    await this.channel.store(number, 'asked', requests);
    return number;
  }

  async waitForResponse(number: number, signal: AbortSignal): Promise<NamedMessages> {
    try {
      return await this.channel.waitForResponse(number, signal);
    } catch (error) {
      await this.channel.withdraw(number).catch(() => undefined); // the first error is the one to tell
      throw error;
    }
  }

  /** What the work came to. Nothing is asked afterwards. */
  async complete(result: JsonObject): Promise<void> {
    try {
      await this.channel.store(++this.last, 'ended', result);
    } finally {
      this.channel.release();
    }
  }

  /** The work has ended, and what it came to is told in another way. */
  release(): void {
    this.channel.release();
  }
}
