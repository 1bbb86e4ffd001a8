/** Nobody waits for an answer to it any more: the process that did is gone, or there never was such an exchange of this caller. */
export class ExchangeGone extends Error {
  override readonly name = 'ExchangeGone';

  constructor(id: string) {
    super(`nobody is at the other end of exchange ${id}`);
  }
}
