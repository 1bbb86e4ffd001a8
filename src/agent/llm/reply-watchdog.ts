export interface ModelTimeouts {
  /** Until the first sign of an answer. */
  firstMs: number;
  /** Between two signs. */
  silenceMs: number;
  totalMs: number;
}

/** Aborts when nothing was heard for too long. The SDK's own clock for the first sign starts only with the response. */
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
