export interface ModelTimeouts {
  /** Until the first part of an answer. */
  firstMs: number;
  /** Between two parts. */
  silenceMs: number;
  totalMs: number;
}

/** Aborts a silent stream. The SDK's own timeout for the first part starts only with the response. */
export class ReplyWatchdog implements Disposable {
  private readonly controller = new AbortController();
  private readonly total: NodeJS.Timeout;
  private silence: NodeJS.Timeout;
  readonly signal: AbortSignal;

  constructor(
    private readonly timeouts: ModelTimeouts,
    outer: AbortSignal,
  ) {
    this.signal = AbortSignal.any([outer, this.controller.signal]);
    this.total = this.abortAfter(timeouts.totalMs);
    this.silence = this.abortAfter(timeouts.firstMs);
  }

  recordActivity(): void {
    clearTimeout(this.silence);
    this.silence = this.abortAfter(this.timeouts.silenceMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.total);
    clearTimeout(this.silence);
  }

  private abortAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.controller.abort(new DOMException(`nothing for ${ms} ms`, 'TimeoutError')), ms);
  }
}
