import type { RequestId } from '@modelcontextprotocol/client';

/** Whether a child that left a call unanswered is still there at all. */
export class Health {
  private doubtedSince?: number;
  private busyWith: RequestId[] = [];

  /** `busyWith`: what it was asked before; a server that does one thing after the other may be at it. */
  doubt(busyWith: RequestId[]): void {
    this.doubtedSince = Date.now();
    this.busyWith = busyWith;
  }

  get isDoubted(): boolean {
    return this.doubtedSince !== undefined;
  }

  heard(): void {
    this.doubtedSince = undefined;
  }

  /** `waiting`: what it has not answered now. */
  isLost(waiting: RequestId[], silenceMs: number): boolean {
    if (this.doubtedSince === undefined) return false;
    if (this.busyWith.some((id) => waiting.includes(id))) this.doubtedSince = Date.now();
    return Date.now() - this.doubtedSince > silenceMs;
  }
}
