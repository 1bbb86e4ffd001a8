import { mostValues, ValueCount } from '../../platform/json/value-count.js';

const newline = 0x0a;

/** Splits the output of a child into lines. A line that does not end is an error: nothing after it can be trusted. */
export class Framing {
  private parts: Buffer[] = [];
  private length = 0;
  private values = new ValueCount();

  constructor(private readonly maxBytes: number) {}

  /** The lines that this chunk completes, without newlines. */
  *push(chunk: Buffer): Generator<Buffer> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.add(chunk.subarray(start, end));
      start = end + 1;
      yield this.take();
    }
    this.add(chunk.subarray(start));
  }

  private add(part: Buffer): void {
    this.length += part.length;
    if (this.length > this.maxBytes) throw new RangeError(`a message is longer than ${this.maxBytes} bytes`);
    if (!this.values.admits(part)) throw new RangeError(`a message has more than ${mostValues} keys and values`);
    if (part.length) this.parts.push(part);
  }

  private take(): Buffer {
    const line = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    this.values = new ValueCount();
    return line;
  }
}
