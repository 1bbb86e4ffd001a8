import { setImmediate } from 'node:timers/promises';
import { StepBudget, StepBudgetExceeded } from './step-budget.js';

/** Limits for one entry and in total. 200 million steps take one to two seconds. */
const maxSteps = { entry: 2_000_000, total: 1_000_000_000 };
const stepsPerTurn = 2_000_000;

/** Bounds the time that foreign patterns take for many entries, and lets other work of this process run in between. */
export class PatternBudget {
  private steps = 0;
  private pausedAt = 0;

  /** `reason`: the error if the patterns take too long. */
  constructor(private readonly reason: string) {}

  /** Matches one entry. */
  match<T>(run: (budget: StepBudget) => T): T {
    const budget = new StepBudget(Math.min(maxSteps.entry, maxSteps.total - this.steps));
    try {
      return run(budget);
    } catch (error) {
      if (!(error instanceof StepBudgetExceeded)) throw error;
      throw new Error(this.reason, { cause: error });
    } finally {
      this.steps += budget.spent;
    }
  }

  /** Call it after each entry. */
  async pauseIfDue(): Promise<void> {
    if (this.steps - this.pausedAt <= stepsPerTurn) return;
    this.pausedAt = this.steps;
    await setImmediate();
  }
}
