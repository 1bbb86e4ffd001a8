import { Injectable } from '@nestjs/common';

/** Said before the connections that are open are waited for: what only waits is to answer, and not to keep the process. */
@Injectable()
export class Closing {
  private readonly closing = new AbortController();

  get signal(): AbortSignal {
    return this.closing.signal;
  }

  begin(): void {
    this.closing.abort(new Error('the server is being stopped'));
  }
}
