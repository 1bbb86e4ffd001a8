import { Injectable } from '@nestjs/common';
import { GateService, type ListedTool } from '../gate/gate.service.js';
import type { JsonValue } from '../platform/json/strict-json.js';
import type { IncomingRequest } from './incoming-request.js';
import type { McpCaller } from './mcp-caller.js';
import { headerFault, type ParamHeader, paramHeaders } from './param-headers.js';
import { ShortLivedCache } from './short-lived-cache.js';
import { headerMismatch } from './rpc-refusal.js';

type DeclaredHeaders = ReadonlyMap<string, ParamHeader[]>;

const noHeaders: ParamHeader[] = [];
const declaredHeadersByTools = new WeakMap<readonly ListedTool[], DeclaredHeaders>();

/**
 * Checks that headers that repeat arguments match the arguments. The call uses the arguments only, so a list of declared
 * headers that is up to one second old is recent enough.
 */
@Injectable()
export class HeaderCheckService {
  private readonly declared = new ShortLivedCache<DeclaredHeaders>(1000, 1000);

  constructor(private readonly gate: GateService) {}

  /** `tool`: its full name, as the gate knows it. Throws on a mismatch. */
  async require(
    { principal, configurationId }: McpCaller,
    incoming: IncomingRequest,
    tool: string,
    args: JsonValue,
  ): Promise<void> {
    const { tenantId, memberId, clientId, scopes } = principal;
    const key = [tenantId, configurationId, memberId, clientId, ...scopes].join(' ');
    const declared = await this.declared.get(key, async () =>
      declaredBy(await this.gate.list(principal, configurationId)),
    );
    const fault = headerFault(declared.get(tool) ?? noHeaders, args, incoming.headers);
    if (fault) throw headerMismatch(fault, incoming.id);
  }
}

function declaredBy(tools: readonly ListedTool[]): DeclaredHeaders {
  const cached = declaredHeadersByTools.get(tools);
  if (cached) return cached;
  const declared = new Map(
    tools
      .map(({ name, inputSchema }) => [name, paramHeaders(inputSchema)] as const)
      .filter(([, headers]) => headers.length),
  );
  declaredHeadersByTools.set(tools, declared);
  return declared;
}
