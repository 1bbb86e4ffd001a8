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
 * Whether the headers that repeat arguments say what the arguments say. What is done is decided by the arguments alone, so
 * that it is enough to look once a second which tools have such headers.
 */
@Injectable()
export class HeaderCheckService {
  private readonly declared = new ShortLivedCache<DeclaredHeaders>(1000, 1000);

  constructor(private readonly gate: GateService) {}

  /** Of the call of a tool, by the name that the gate knows. Throws where they do not. */
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
  const known = declaredHeadersByTools.get(tools);
  if (known) return known;
  const declared = new Map(
    tools
      .map(({ name, inputSchema }) => [name, paramHeaders(inputSchema)] as const)
      .filter(([, found]) => found.length),
  );
  declaredHeadersByTools.set(tools, declared);
  return declared;
}
