import pg from 'pg';
import { QueryFailedError } from 'typeorm';

interface Asked<In, Out> {
  input: In;
  resolve(out: Out): void;
  reject(error: unknown): void;
}
interface Options {
  /** In one statement. */
  most?: number;
  /** Statements under way. */
  atOnce?: number;
}

/**
 * Group commit for one statement: what is asked for while it is under way goes out together, as soon as it is back. A lone
 * question goes at once; under load a round trip, a transaction and a flush of the log serve many. Nothing is remembered:
 * every answer was read after its question was asked.
 */
export class Gather<In extends { tenantId?: string }, Out> {
  private waiting: Asked<In, Out>[] = [];
  private underWay = 0;
  private readonly most: number;
  private readonly atOnce: number;

  /**
   * `run` answers questions of one tenant (or of none), in their order: a transaction sees one tenant's rows. Where the
   * database refuses several, each is asked by itself.
   */
  constructor(
    private readonly run: (tenantId: NonNullable<In['tenantId']>, inputs: In[]) => Promise<Out[]>,
    { most = 100, atOnce = 2 }: Options = {},
  ) {
    this.most = most;
    this.atOnce = atOnce;
  }

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
      const byTenant = Map.groupBy(batch, ({ input }) => input.tenantId as NonNullable<In['tenantId']>);
      void Promise.all([...byTenant].map(([tenantId, own]) => this.answer(tenantId, own))).finally(() => {
        this.underWay -= 1;
        this.go();
      });
    }
  }

  private async answer(tenantId: NonNullable<In['tenantId']>, asked: Asked<In, Out>[]): Promise<void> {
    try {
      const outs = await this.run(
        tenantId,
        asked.map(({ input }) => input),
      );
      asked.forEach(({ resolve }, index) => resolve(outs[index]));
    } catch (error) {
      // after any other failure it is not known whether the statement took effect
      if (asked.length === 1 || !isRefusedByDatabase(error)) asked.forEach(({ reject }) => reject(error));
      else await Promise.all(asked.map((one) => this.answer(tenantId, [one])));
    }
  }
}

/** An answer of the database's own: what it refused did not happen, and its transaction is lost. */
export const isRefusedByDatabase = (error: unknown): boolean =>
  error instanceof pg.DatabaseError ||
  (error instanceof QueryFailedError && error.driverError instanceof pg.DatabaseError);
