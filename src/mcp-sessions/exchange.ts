import type { JsonObject } from '../platform/json/strict-json.js';

/** What is asked, or answered, at once: by names that whoever asks has chosen. */
export type Named = Record<string, JsonObject>;

export interface Post {
  /** Written down before anybody is told. */
  write(number: number, kind: 'asked' | 'ended', body: JsonObject): Promise<void>;
  /** Throws the signal's reason when it is called off. */
  answer(number: number, signal: AbortSignal): Promise<Named>;
  withdraw(number: number): Promise<void>;
  letGo(): void;
}

/** Work that this process does for a caller who may be asked in the middle of it, and who comes back to any process. */
export class Exchange {
  private last = 0;

  constructor(
    readonly id: string,
    private readonly post: Post,
  ) {}

  /** Several may be open at the same time. Called off by the signal, nobody is asked any more. */
  async ask(requests: Named, signal: AbortSignal): Promise<Named> {
    return this.answerTo(await this.put(requests), signal);
  }

  /** Under which number it is asked. */
  async put(requests: Named): Promise<number> {
    const number = ++this.last;
    await this.post.write(number, 'asked', requests);
    return number;
  }

  async answerTo(number: number, signal: AbortSignal): Promise<Named> {
    try {
      return await this.post.answer(number, signal);
    } catch (error) {
      await this.post.withdraw(number).catch(() => undefined); // the first error is the one to tell
      throw error;
    }
  }

  /** What the work came to. Nothing is asked afterwards. */
  async end(result: JsonObject): Promise<void> {
    try {
      await this.post.write(++this.last, 'ended', result);
    } finally {
      this.post.letGo();
    }
  }

  /** The work has ended, and what it came to is told in another way. */
  release(): void {
    this.post.letGo();
  }
}
