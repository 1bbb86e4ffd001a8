import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { Log } from '../platform/telemetry/log.service.js';
import type { Asked } from './asked.js';
import type { Caller } from './caller.js';

/** Around every handler: the SDK would tell the caller the words of any error. */
@Injectable()
export class Answering {
  constructor(private readonly log: Log) {}

  to<T>(caller: Caller, asked: Asked, work: () => Promise<T>): Promise<T> {
    return asked.during(this.told(caller, asked, work));
  }

  private async told<T>({ principal: { requestId } }: Caller, asked: Asked, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const told = asked.told(error);
      if (told) throw told;
      this.log.error({ err: error, requestId }, 'a request over MCP failed');
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The request could not be finished.', { requestId });
    }
  }
}
