import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { Answering } from './answering.service.js';
import type { Asked } from './asked.js';
import type { Caller } from './caller.js';
import { Sights } from './sights.service.js';

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
        if (!(await this.sights.of(caller)).resource(uri)) throw new ResourceNotFoundError(uri);
        return {};
      }),
    );
    server.setRequestHandler('resources/unsubscribe', () => ({}));
  }
}
