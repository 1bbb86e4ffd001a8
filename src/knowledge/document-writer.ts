import type { RemovedDocument, SourceDocument } from '../connections/knowledge-source.port.js';
import type { InactivityTimeout } from './inactivity-timeout.js';
import { SequentialQueue } from './sequential-queue.js';

/** Documents that are prepared concurrently while earlier ones are stored. */
const maxPreparing = 8;
/** Documents whose fingerprints are looked up together. */
const batchSize = 200;
/** A batch with more text is processed early, to limit memory. */
const maxBatchLength = 4 * 2 ** 20;
const maxDelayMs = 200;
/** Names that are remembered until everything is stored. */
const maxUnstored = 10_000;

export interface DocumentSteps {
  /**
   * Returns one function for each new or changed document. The function starts the preparation and returns another one,
   * which stores the result.
   */
  select(batch: readonly SourceDocument[]): Promise<(() => () => Promise<void>)[]>;
  erase(externalId: string): Promise<void>;
}

/** Processes the items of a source in order, in batches. */
export class DocumentWriter {
  private batch: SourceDocument[] = [];
  private batchLength = 0;
  private timer?: NodeJS.Timeout;
  /** The names of items that may not be stored yet. */
  private readonly unstored = new Set<string>();
  private handled: Promise<void> = Promise.resolve();
  private readonly storing = new SequentialQueue(maxPreparing);

  constructor(
    private readonly steps: DocumentSteps,
    private readonly timeout: InactivityTimeout,
  ) {}

  /** Resolves when there is capacity for more. */
  async add(item: SourceDocument | RemovedDocument): Promise<void> {
    const name = 'removed' in item ? item.removed : item.externalId;
    // the first version has to be stored or erased before the second one is compared with it
    if (this.unstored.has(name) || this.unstored.size >= maxUnstored) await this.drain();
    this.unstored.add(name);
    if ('removed' in item) {
      await this.flush();
      return this.storing.add(() => this.steps.erase(item.removed));
    }
    this.batch.push(item);
    if (typeof item.content !== 'function') this.batchLength += item.content.length;
    if (this.batch.length >= batchSize || this.batchLength >= maxBatchLength) return this.flush();
    // a slow source must not delay documents that it has yielded; `drain` rejects with an error of this flush
    this.timer ??= setTimeout(() => void this.flush().catch(() => undefined), maxDelayMs);
  }

  /** Resolves when everything that was added is stored. */
  drain(): Promise<void> {
    return this.timeout.whileWeWork(async () => {
      await this.flush();
      await this.storing.drain();
      this.unstored.clear();
    });
  }

  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { batch } = this;
    this.batch = [];
    this.batchLength = 0;
    if (batch.length) this.handled = this.handled.then(() => this.handle(batch));
    this.handled.catch(() => undefined); // the callers await `handled` and reject with its error
    return this.handled;
  }

  private async handle(batch: readonly SourceDocument[]): Promise<void> {
    for (const start of await this.steps.select(batch)) await this.storing.add(start());
  }
}
