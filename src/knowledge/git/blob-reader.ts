import { GitFailure } from './git-failure.js';
import type { GitProcess } from './git-process.js';

/** Reads objects of the local repository through one process, which starts with the first request. */
export class BlobReader {
  private process?: GitProcess;
  private unread: Buffer = Buffer.alloc(0);
  private chunks?: AsyncIterator<Buffer>;
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private isClosing = false;

  constructor(private readonly start: () => GitProcess) {}

  /** The size of a blob in bytes; null if it is not stored here. */
  sizeOf(oid: string): Promise<number | null> {
    return this.inTurn(async () => (await this.request('info', oid))?.size ?? null);
  }

  /** Null if it is not stored here. */
  read(oid: string): Promise<Buffer | null> {
    return this.inTurn(async () => {
      const head = await this.request('contents', oid);
      if (!head) return null;
      const body = await this.take(head.size);
      await this.take(1); // a line break follows
      return body;
    });
  }

  /** The process ends after the last request. A later request starts another one. */
  close(): void {
    this.isClosing = true;
    this.endIfIdle();
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.waiting++;
    const turn = this.last.then(work).catch((error: unknown) => {
      this.stop(error);
      throw error;
    });
    this.last = turn.catch(() => undefined);
    return turn.finally(() => {
      this.waiting--;
      this.endIfIdle();
    });
  }

  private async request(command: 'info' | 'contents', oid: string): Promise<{ size: number } | null> {
    this.process ??= this.start();
    this.chunks ??= (this.process.output as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    this.process.input.write(`${command} ${oid}\n`);
    const line = (await this.takeLine()).toString('latin1');
    const [name, type, size] = line.split(' ');
    if (name !== oid) throw new GitFailure('corrupt', 'The stored copy of the repository is damaged.');
    if (type === 'missing') return null;
    if (type !== 'blob') throw new GitFailure('corrupt', 'The stored copy of the repository is damaged.');
    return { size: Number(size) };
  }

  private async takeLine(): Promise<Buffer> {
    for (let from = 0; ;) {
      const end = this.unread.indexOf(10, from);
      if (end >= 0) {
        const line = this.unread.subarray(0, end);
        this.unread = this.unread.subarray(end + 1);
        return line;
      }
      from = this.unread.length;
      this.unread = Buffer.concat([this.unread, await this.nextChunk()]);
    }
  }

  private async take(size: number): Promise<Buffer> {
    const parts = [this.unread];
    let length = this.unread.length;
    while (length < size) {
      const chunk = await this.nextChunk();
      parts.push(chunk);
      length += chunk.length;
    }
    const all = parts.length > 1 ? Buffer.concat(parts) : this.unread;
    this.unread = all.subarray(size);
    return all.subarray(0, size);
  }

  private async nextChunk(): Promise<Buffer> {
    const next = await this.chunks!.next();
    if (!next.done) return next.value;
    await this.process!.finished;
    throw new GitFailure('other', 'git ended before it had answered.');
  }

  private endIfIdle(): void {
    if (!this.isClosing || this.waiting || !this.process) return;
    this.process.input.end();
    this.forget();
  }

  private stop(error: unknown): void {
    this.process?.kill(error);
    this.forget();
  }

  private forget(): void {
    this.process = this.chunks = undefined;
    this.unread = Buffer.alloc(0);
  }
}
