import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { Answering } from './answering.service.js';
import type { Asked } from './asked.js';
import type { Caller } from './caller.js';
import { Sights } from './sights.service.js';

/** It is kept for as long as the session. */
const longestUri = 2000;

/** What there is only in sessions: `resources/subscribe` and `resources/unsubscribe`. The session keeps what was agreed to. */
@Injectable()
export class SessionHandlers {
  constructor(
    private readonly sights: Sights,
    private readonly answering: Answering,
  ) {}

  register(server: Server, caller: Caller, asked: Asked): void {
    server.setRequestHandler('resources/subscribe', ({ params: { uri } }) =>
      this.answering.to(caller, asked, async () => {
        if (uri.length > longestUri || !(await this.sights.readable(caller, [uri])).length)
          throw new ResourceNotFoundError(uri.slice(0, longestUri));
        return {};
      }),
    );
    server.setRequestHandler('resources/unsubscribe', () => ({}));
  }
}
