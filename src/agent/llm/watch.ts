export interface Patience {
  /** Until the first sign of an answer. */
  firstMs: number;
  /** Between two signs. */
  silenceMs: number;
  totalMs: number;
}

/** Aborts when nothing was heard for too long. The SDK's own clock for the first sign starts only with the response. */
export class Watch implements Disposable {
  private readonly controller = new AbortController();
  private readonly total: NodeJS.Timeout;
  private silence: NodeJS.Timeout;
  readonly signal: AbortSignal;

  constructor(
    private readonly patience: Patience,
    outer: AbortSignal,
  ) {
    this.signal = AbortSignal.any([outer, this.controller.signal]);
    this.total = this.after(patience.totalMs);
    this.silence = this.after(patience.firstMs);
  }

  heard(): void {
    clearTimeout(this.silence);
    this.silence = this.after(this.patience.silenceMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.total);
    clearTimeout(this.silence);
  }

  private after(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.controller.abort(new DOMException(`nothing for ${ms} ms`, 'TimeoutError')), ms);
  }
}
