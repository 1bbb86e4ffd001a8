/** Bounds the steps that foreign patterns may take. */
export class StepBudget {
  private steps = 0;
  private readonly maxSteps: number;

  constructor(maxSteps: number) {
    this.maxSteps = maxSteps;
  }

  spend(steps: number): void {
    this.steps += steps;
    if (this.steps > this.maxSteps) throw new StepBudgetExceeded();
  }

  get spent(): number {
    return this.steps;
  }
}

export class StepBudgetExceeded extends Error {
  override readonly name = 'StepBudgetExceeded';
}
