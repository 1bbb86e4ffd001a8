import { mostValues, ValueCount } from '../../../platform/json/value-count.js';

const newline = 0x0a;

/** Cuts what a child writes into lines. A line that does not end is refused: nothing behind it could be trusted. */
export class Framing {
  private parts: Buffer[] = [];
  private length = 0;
  private values = new ValueCount();

  constructor(private readonly mostBytes: number) {}

  /** The lines that are complete now, without their ends. */
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
    if (this.length > this.mostBytes) throw new RangeError(`a message is longer than ${this.mostBytes} bytes`);
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
