import type { DocumentsContext, SourceDocument } from '../../connections/knowledge-source.port.js';
import { jsonOf, type ClosedPart, type StagedProgress } from './staged-progress.js';

const filesPerCheckpoint = 200;

export interface StagedReader<T, S, C> {
  readonly context: DocumentsContext;
  readonly stages: readonly S[];
  /** Unreadable parts. */
  readonly closed: ClosedPart[];
  /** The cursor from which `changes` continues after a complete pass that starts now. */
  cursorOfNow(container: T): Promise<C>;
  /** Reads a part of a container. Reports it as closed if the credential may not read it. */
  readable<D>(container: T, stage: S, part: AsyncIterable<D>): AsyncGenerator<D>;
}

/** A complete pass: container by container and stage by stage, resumable after each page. */
export abstract class StagedPass<T extends { id: number }, S extends string, C> {
  private expected = 0;

  constructor(
    private readonly stagedReader: StagedReader<T, S, C>,
    private readonly progress: StagedProgress<S, C>,
  ) {}

  async *documents(containers: readonly T[]): AsyncGenerator<SourceDocument> {
    const { context, closed, stages } = this.stagedReader;
    const { progress } = this;
    for (const part of progress.closed) context.skipped(part.id, part.reason);
    closed.push(...progress.closed);
    for (const container of containers) {
      if (String(container.id) in progress.done) continue;
      if (progress.current?.container !== container.id) {
        const cursor = await this.stagedReader.cursorOfNow(container);
        progress.current = { container: container.id, cursor, stage: stages[0], at: null };
      }
      yield* this.container(container);
      progress.done[container.id] = this.current.cursor;
      progress.current = null;
      await this.checkpoint();
    }
    const read = containers.map(({ id }) => [String(id), progress.done[id]] as const);
    context.setCursor(jsonOf({ version: 1, stages: [...stages], containers: Object.fromEntries(read) }));
  }

  protected abstract stage(container: T, stage: S): AsyncGenerator<SourceDocument>;

  protected get current(): NonNullable<StagedProgress<S, C>['current']> {
    return this.progress.current!;
  }

  /** Stores the position in the stage. */
  protected async reach(at: string | null): Promise<void> {
    this.current.at = at;
    await this.checkpoint();
  }

  /** Adds to the estimated number of documents. */
  protected expect(count: number): void {
    this.stagedReader.context.expects((this.expected += count));
  }

  /** Reads files, which are sorted by path, from the position in the stage. */
  protected async *files<F extends { path: string }>(
    files: readonly F[],
    documentsOf: (page: readonly F[]) => SourceDocument[],
  ): AsyncGenerator<SourceDocument> {
    this.expect(files.length);
    const after = this.current.at;
    const rest = after === null ? files : files.filter(({ path }) => path > after);
    for (let at = 0; at < rest.length; at += filesPerCheckpoint) {
      const page = rest.slice(at, at + filesPerCheckpoint);
      yield* documentsOf(page);
      await this.reach(page.at(-1)!.path);
    }
  }

  private async *container(container: T): AsyncGenerator<SourceDocument> {
    const { stages } = this.stagedReader;
    const { current } = this;
    for (const stage of stages.slice(Math.max(0, stages.indexOf(current.stage)))) {
      if (stage !== current.stage) Object.assign(current, { stage, at: null });
      yield* this.stagedReader.readable(container, stage, this.stage(container, stage));
    }
  }

  private checkpoint(): Promise<void> {
    const { context, closed } = this.stagedReader;
    return context.checkpoint(jsonOf({ ...this.progress, closed }));
  }
}
