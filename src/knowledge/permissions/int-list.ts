/** Stores integers in four bytes each, because a roster may have millions of memberships. */
export class IntList {
  private values = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Int32Array(this.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }

  slice(from: number, to: number): number[] {
    return Array.from(this.values.subarray(from, Math.min(to, this.length)));
  }
}
