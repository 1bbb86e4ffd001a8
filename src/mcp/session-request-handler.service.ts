import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { McpHandlerRunner } from './mcp-handler-runner.service.js';
import type { IncomingRequest } from './incoming-request.js';
import type { McpCaller } from './mcp-caller.js';
import { ListingSnapshotService } from './listing-snapshot.service.js';

/** Stored as long as the session. */
const maxSubscribedUriLength = 2000;

/** `resources/subscribe` and `resources/unsubscribe`, which exist only in sessions. The session stores the result. */
@Injectable()
export class SessionRequestHandler {
  constructor(
    private readonly listingSnapshot: ListingSnapshotService,
    private readonly mcpHandlerRunner: McpHandlerRunner,
  ) {}

  register(server: Server, caller: McpCaller, incoming: IncomingRequest): void {
    server.setRequestHandler('resources/subscribe', ({ params: { uri } }) =>
      this.mcpHandlerRunner.run(caller, incoming, async () => {
        if (
          uri.length > maxSubscribedUriLength ||
          !(await this.listingSnapshot.readableResources(caller, [uri])).length
        )
          throw new ResourceNotFoundError(uri.slice(0, maxSubscribedUriLength));
        return {};
      }),
    );
    server.setRequestHandler('resources/unsubscribe', () => ({}));
  }
}
