import type { ListToolsResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { GateService } from '../gate/gate.service.js';
import type { Caller } from './caller.js';
import { Naming } from './naming.service.js';
import { byName, pageOf } from './page.js';
import { toolOnWire } from './tool-on-wire.js';

/** Assistants that do not turn pages lose nothing of an ordinary configuration. */
const toolsAtOnce = 500;

/** What a caller finds here: what the policies could let them use, in an order that stays. */
@Injectable()
export class Listings {
  constructor(
    private readonly gate: GateService,
    private readonly naming: Naming,
  ) {}

  async tools(caller: Caller, cursor?: string): Promise<ListToolsResult> {
    const [listed, names] = await Promise.all([
      this.gate.list(caller.principal, caller.configurationId),
      this.naming.of(caller),
    ]);
    const { rows, nextCursor } = pageOf(
      listed.map((tool) => toolOnWire(tool, names)).sort(byName),
      toolsAtOnce,
      cursor,
    );
    return { tools: rows, nextCursor };
  }
}
