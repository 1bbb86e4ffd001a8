import pg from 'pg';
import { QueryFailedError } from 'typeorm';

interface BatchEntry<In, Out> {
  input: In;
  resolve(out: Out): void;
  reject(error: unknown): void;
}
interface BatcherOptions {
  /** Inputs in one statement. */
  maxBatchSize?: number;
  /** Statements in flight. */
  maxInFlight?: number;
}

/**
 * Group commit for one statement: inputs that arrive while it is in flight are sent together when it returns. A single
 * input is sent at once; under load, many inputs share one round trip, one transaction and one flush of the WAL.
 * Nothing is cached: every output is read after its input was submitted.
 */
export class Batcher<In extends { tenantId?: string }, Out> {
  private pending: BatchEntry<In, Out>[] = [];
  private inFlight = 0;
  private readonly maxBatchSize: number;
  private readonly maxInFlight: number;

  /**
   * `run` returns the outputs in the order of the inputs. All inputs belong to one tenant (or to none), because a
   * transaction sees one tenant's rows. If the database rejects a batch, each input runs alone.
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
      // collects all inputs of this turn of the event loop
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
      // after any other failure, the statement may have taken effect
      if (entries.length === 1 || !isRefusedByDatabase(error)) entries.forEach(({ reject }) => reject(error));
      else await Promise.all(entries.map((one) => this.runBatch(tenantId, [one])));
    }
  }
}

/** The database rejected the statement: it had no effect, and its transaction is aborted. */
export const isRefusedByDatabase = (error: unknown): boolean =>
  error instanceof pg.DatabaseError ||
  (error instanceof QueryFailedError && error.driverError instanceof pg.DatabaseError);
