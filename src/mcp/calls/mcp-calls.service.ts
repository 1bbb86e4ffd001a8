import type { ServerContext } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { GateService } from '../../gate/gate.service.js';
import type { Caller } from '../caller.js';
import type { Answered, GateCall } from './answered.js';
import { StepUp } from './step-up.error.js';

/** Requests that do something, through the gate. */
@Injectable()
export class McpCalls {
  constructor(private readonly gate: GateService) {}

  /** Throws StepUp where the token's scope is too narrow. */
  async run({ principal, configurationId }: Caller, ctx: ServerContext, call: GateCall): Promise<Answered> {
    const outcome = await this.gate.call(principal, { configurationId, tool: call.tool, arguments: call.arguments });
    if (outcome.state === 'denied' && outcome.code === 'insufficient-scope')
      throw new StepUp('api:write', outcome.reason);
    return { kind: 'outcome', outcome };
  }
}
