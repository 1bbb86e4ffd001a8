import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { LogService } from '../platform/telemetry/log.service.js';
import type { IncomingRequest } from './incoming-request.js';
import type { McpCaller } from './mcp-caller.js';

/** Wraps every handler, because the SDK would reveal the message of any error to the caller. */
@Injectable()
export class McpHandlerRunner {
  constructor(private readonly log: LogService) {}

  run<T>(caller: McpCaller, incomingRequest: IncomingRequest, work: () => Promise<T>): Promise<T> {
    return incomingRequest.track(this.runGuarded(caller, incomingRequest, work));
  }

  private async runGuarded<T>(
    { principal: { requestId } }: McpCaller,
    incomingRequest: IncomingRequest,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const protocolError = incomingRequest.toProtocolError(error);
      if (protocolError) throw protocolError;
      this.log.error({ err: error, requestId }, 'a request over MCP failed');
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The request failed because of a server error.', {
        requestId,
      });
    }
  }
}
