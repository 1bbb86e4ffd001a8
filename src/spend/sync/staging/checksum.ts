/**
 * Eight bytes that identify the content of a day independently of row order: the sum of one hash per row. This detects
 * changes; it does not resist deliberate collisions.
 */
export class Checksum {
  private high = 0;
  private low = 0;
  private a = 0;
  private b = 0;

  /** Starts a row. Add its values, always in the same order, then call `end`. */
  begin(): this {
    this.a = 0x2c1b3c6d;
    this.b = 0x297a2d39;
    return this;
  }

  number(value: number | null | undefined): this {
    if (value == null) return this.mix(0x7fffffff, 1);
    return this.mix(value | 0, Math.trunc(value / 0x100000000));
  }

  text(value: string | null | undefined): this {
    if (value == null) return this.mix(0x7fffffff, 2);
    for (let at = 0; at < value.length; at++) this.mix(value.charCodeAt(at), 3);
    return this.mix(value.length, 4);
  }

  end(): void {
    this.high = (this.high + murmurFinalizer(this.a ^ Math.imul(this.b, 5))) >>> 0;
    this.low = (this.low + murmurFinalizer(this.b + this.a)) >>> 0;
  }

  digest(): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(this.high, 0);
    bytes.writeUInt32BE(this.low, 4);
    return bytes;
  }

  private mix(value: number, more: number): this {
    this.a = Math.imul(rotateLeft(this.a ^ Math.imul(value, 0xcc9e2d51), 15), 0x1b873593) + more;
    this.b = Math.imul(rotateLeft(this.b + Math.imul(value ^ more, 0x239b961b), 13), 0x38b34ae5) + 0x561ccd1b;
    return this;
  }
}

const rotateLeft = (bits: number, by: number): number => (bits << by) | (bits >>> (32 - by));

/** The finalizer of MurmurHash3: each input bit flips about half of the output bits. */
function murmurFinalizer(hash: number): number {
  let bits = hash ^ (hash >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
