/** Steps that patterns from elsewhere may take. */
export class Effort {
  private steps = 0;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  spend(steps: number): void {
    this.steps += steps;
    if (this.steps > this.most) throw new TooMuchEffort();
  }

  get spent(): number {
    return this.steps;
  }
}

export class TooMuchEffort extends Error {
  override readonly name = 'TooMuchEffort';
}
