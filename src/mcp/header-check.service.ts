import { Injectable } from '@nestjs/common';
import { GateService, type ListedTool } from '../gate/gate.service.js';
import type { JsonValue } from '../platform/json/strict-json.js';
import type { Asked } from './asked.js';
import type { Caller } from './caller.js';
import { headerFault, type ParamHeader, paramHeaders } from './param-headers.js';
import { Recent } from './recent.js';
import { headerMismatch } from './rpc-refusal.js';

type Declared = ReadonlyMap<string, ParamHeader[]>;

const none: ParamHeader[] = [];
const made = new WeakMap<readonly ListedTool[], Declared>();

/**
 * Whether the headers that repeat arguments say what the arguments say. What is done is decided by the arguments alone, so
 * that it is enough to look once a second which tools have such headers.
 */
@Injectable()
export class HeaderCheck {
  private readonly declared = new Recent<Declared>(1000, 1000);

  constructor(private readonly gate: GateService) {}

  /** Of the call of a tool, by the name that the gate knows. Throws where they do not. */
  async require({ principal, configurationId }: Caller, asked: Asked, tool: string, args: JsonValue): Promise<void> {
    const { tenantId, memberId, clientId, scopes } = principal;
    const key = [tenantId, configurationId, memberId, clientId, ...scopes].join(' ');
    const declared = await this.declared.of(key, async () =>
      declaredBy(await this.gate.list(principal, configurationId)),
    );
    const fault = headerFault(declared.get(tool) ?? none, args, asked.headers);
    if (fault) throw headerMismatch(fault, asked.id);
  }
}

function declaredBy(tools: readonly ListedTool[]): Declared {
  const known = made.get(tools);
  if (known) return known;
  const declared = new Map(
    tools
      .map(({ name, inputSchema }) => [name, paramHeaders(inputSchema)] as const)
      .filter(([, found]) => found.length),
  );
  made.set(tools, declared);
  return declared;
}
