import { SerialExecutor } from '../../platform/events/serial-executor.js';
import { damagedCopy, GitFailure } from './git-failure.js';
import { chunksOf, type GitProcess } from './git-process.js';

/** Reads files from the local repository with one git process, which starts with the first request. */
export class BlobReader {
  private process?: GitProcess;
  private unread: Buffer = Buffer.alloc(0);
  private chunks?: AsyncGenerator<Buffer>;
  private readonly requests = new SerialExecutor();
  private waiting = 0;
  private isClosing = false;

  constructor(private readonly start: () => GitProcess) {}

  /** The size of a blob in bytes; null if it is not stored. */
  sizeOf(oid: string): Promise<number | null> {
    return this.inTurn(async () => (await this.request('info', oid))?.size ?? null);
  }

  /** Null if it is not stored. */
  read(oid: string): Promise<Buffer | null> {
    return this.inTurn(async () => {
      const head = await this.request('contents', oid);
      if (!head) return null;
      const body = await this.take(head.size);
      await this.take(1); // a line break follows
      return body;
    });
  }

  /** Ends the process after the last request. Each later request starts and ends its own process. */
  close(): void {
    this.isClosing = true;
    this.endIfIdle();
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.waiting++;
    return this.requests.run(async () => {
      try {
        return await work();
      } catch (error) {
        this.stop(error);
        throw error;
      } finally {
        this.waiting--;
        this.endIfIdle();
      }
    });
  }

  private async request(command: 'info' | 'contents', oid: string): Promise<{ size: number } | null> {
    this.process ??= this.start();
    this.chunks ??= chunksOf(this.process);
    this.process.input.write(`${command} ${oid}\n`);
    const line = (await this.takeLine()).toString('latin1');
    const [name, type, size] = line.split(' ');
    if (name === oid && type === 'missing') return null;
    if (name !== oid || type !== 'blob') throw damagedCopy();
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
    throw new GitFailure('other', 'git ended without a response.');
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
