/** The process that waited for the answer is gone, or the caller has no such exchange. */
export class ExchangeGone extends Error {
  override readonly name = 'ExchangeGone';

  constructor(id: string) {
    super(`no process waits for an answer in exchange ${id}`);
  }
}
