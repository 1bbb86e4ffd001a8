import pg from 'pg';
import { QueryFailedError } from 'typeorm';

interface BatchEntry<In, Out> {
  input: In;
  resolve(out: Out): void;
  reject(error: unknown): void;
}
interface BatcherOptions {
  /** In one statement. */
  maxBatchSize?: number;
  /** Statements under way. */
  maxInFlight?: number;
}

/**
 * Group commit for one statement: what is asked for while it is under way goes out together, as soon as it is back. A lone
 * question goes at once; under load a round trip, a transaction and a flush of the log serve many. Nothing is remembered:
 * every answer was read after its question was asked.
 */
export class Batcher<In extends { tenantId?: string }, Out> {
  private pending: BatchEntry<In, Out>[] = [];
  private inFlight = 0;
  private readonly maxBatchSize: number;
  private readonly maxInFlight: number;

  /**
   * `run` answers questions of one tenant (or of none), in their order: a transaction sees one tenant's rows. Where the
   * database refuses several, each is asked by itself.
   */
  constructor(
    private readonly run: (tenantId: NonNullable<In['tenantId']>, inputs: In[]) => Promise<Out[]>,
    { maxBatchSize = 100, maxInFlight = 2 }: BatcherOptions = {},
  ) {
    this.maxBatchSize = maxBatchSize;
    this.maxInFlight = maxInFlight;
  }

  submit(input: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.pending.push({ input, resolve, reject });
      // what else this turn of the event loop brings comes along
      if (this.pending.length === 1) setImmediate(() => this.flush());
    });
  }

  private flush(): void {
    while (this.pending.length && this.inFlight < this.maxInFlight) {
      const batch = this.pending.splice(0, this.maxBatchSize);
      this.inFlight += 1;
      const byTenant = Map.groupBy(batch, ({ input }) => input.tenantId as NonNullable<In['tenantId']>);
      void Promise.all([...byTenant].map(([tenantId, own]) => this.runBatch(tenantId, own))).finally(() => {
        this.inFlight -= 1;
        this.flush();
      });
    }
  }

  private async runBatch(tenantId: NonNullable<In['tenantId']>, entries: BatchEntry<In, Out>[]): Promise<void> {
    try {
      const outs = await this.run(
        tenantId,
        entries.map(({ input }) => input),
      );
      entries.forEach(({ resolve }, index) => resolve(outs[index]));
    } catch (error) {
      // after any other failure it is not known whether the statement took effect
      if (entries.length === 1 || !isRefusedByDatabase(error)) entries.forEach(({ reject }) => reject(error));
      else await Promise.all(entries.map((one) => this.runBatch(tenantId, [one])));
    }
  }
}

/** An answer of the database's own: what it refused did not happen, and its transaction is lost. */
export const isRefusedByDatabase = (error: unknown): boolean =>
  error instanceof pg.DatabaseError ||
  (error instanceof QueryFailedError && error.driverError instanceof pg.DatabaseError);
