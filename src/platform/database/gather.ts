interface Asked<In, Out> {
  input: In;
  resolve(out: Out): void;
  reject(error: unknown): void;
}

/**
 * Group commit for one statement: what is asked for while it is under way goes out together, as soon as it is back. A lone
 * question goes at once; under load a round trip, a transaction and a flush of the log serve many. Nothing is remembered:
 * every answer was read after its question was asked.
 */
export class Gather<In, Out> {
  private waiting: Asked<In, Out>[] = [];
  private underWay = 0;

  /** `run` answers each input, in their order. Should it fail for several, each is asked by itself. */
  constructor(
    private readonly run: (inputs: In[]) => Promise<Out[]>,
    private readonly most = 100,
    private readonly atOnce = 2,
  ) {}

  ask(input: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ input, resolve, reject });
      // what else this turn of the event loop brings comes along
      if (this.waiting.length === 1) setImmediate(() => this.go());
    });
  }

  private go(): void {
    while (this.waiting.length && this.underWay < this.atOnce) {
      const batch = this.waiting.splice(0, this.most);
      this.underWay += 1;
      void this.answer(batch).finally(() => {
        this.underWay -= 1;
        this.go();
      });
    }
  }

  private async answer(batch: Asked<In, Out>[]): Promise<void> {
    try {
      const outs = await this.run(batch.map(({ input }) => input));
      batch.forEach(({ resolve }, index) => resolve(outs[index]));
    } catch (error) {
      if (batch.length === 1) batch[0].reject(error);
      else await Promise.all(batch.map((one) => this.answer([one])));
    }
  }
}
