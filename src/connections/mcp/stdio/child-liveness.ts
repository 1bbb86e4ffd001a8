import type { RequestId } from '@modelcontextprotocol/client';

/** Whether a child that left a call unanswered is still there at all. */
export class ChildLiveness {
  private suspectedSince?: number;
  private busyWith: RequestId[] = [];

  /** `busyWith`: what it was asked before; a server that does one thing after the other may be at it. */
  suspect(busyWith: RequestId[]): void {
    this.suspectedSince = Date.now();
    this.busyWith = busyWith;
  }

  get isSuspected(): boolean {
    return this.suspectedSince !== undefined;
  }

  confirm(): void {
    this.suspectedSince = undefined;
  }

  /** `waiting`: what it has not answered now. */
  isLost(waiting: RequestId[], silenceMs: number): boolean {
    if (this.suspectedSince === undefined) return false;
    if (this.busyWith.some((id) => waiting.includes(id))) this.suspectedSince = Date.now();
    return Date.now() - this.suspectedSince > silenceMs;
  }
}
