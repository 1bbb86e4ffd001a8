import type { RequestId } from '@modelcontextprotocol/client';

/** Detects whether a child that left a call unanswered has hung. */
export class ChildLiveness {
  private suspectedSince?: number;
  private busyWith: RequestId[] = [];

  /** `busyWith`: earlier requests; a server that processes one request after the other may still be busy with them. */
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

  /** `waiting`: requests that are still unanswered. */
  isLost(waiting: RequestId[], silenceMs: number): boolean {
    if (this.suspectedSince === undefined) return false;
    if (this.busyWith.some((id) => waiting.includes(id))) this.suspectedSince = Date.now();
    return Date.now() - this.suspectedSince > silenceMs;
  }
}
