import { type ReadResourceResult, ResourceNotFoundError, type Result, type Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { McpHandlerRunner } from './mcp-handler-runner.service.js';
import type { IncomingRequest } from './incoming-request.js';
import type { McpCaller } from './mcp-caller.js';
import { McpCallsService } from './calls/mcp-calls.service.js';
import { documentType, documentUri } from './knowledge-resources.service.js';
import { ListingsService } from './listings.service.js';
import type { NameTarget, WireNames } from './wire-names.js';
import { WireNamesService } from './wire-names.service.js';
import { isMisnamed, isUnknown, operationResult } from './operation-result.js';

/** `resources/list`, `resources/templates/list` and `resources/read`. */
@Injectable()
export class ResourceRequestHandler {
  constructor(
    private readonly listings: ListingsService,
    private readonly wireNames: WireNamesService,
    private readonly calls: McpCallsService,
    private readonly mcpHandlerRunner: McpHandlerRunner,
  ) {}

  register(server: Server, caller: McpCaller, incoming: IncomingRequest): void {
    server.setRequestHandler('resources/list', ({ params }, { mcpReq }) =>
      this.mcpHandlerRunner.run(caller, incoming, () => this.listings.resources(caller, params?.cursor, mcpReq.signal)),
    );
    server.setRequestHandler('resources/templates/list', ({ params }, { mcpReq }) =>
      this.mcpHandlerRunner.run(caller, incoming, () => this.listings.templates(caller, params?.cursor, mcpReq.signal)),
    );
    server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) =>
      this.mcpHandlerRunner.run(caller, incoming, async () => {
        const names = await this.wireNames.of(caller);
        const resourceRead = resolveResourceRead(names, uri);
        const callAnswer = await this.calls.run(caller, ctx, { operation: 'resources', ...resourceRead.call });
        if (callAnswer.kind === 'result') return callAnswer.result as ReadResourceResult;
        if (isUnknown(callAnswer.outcome) || isMisnamed(callAnswer.outcome)) throw new ResourceNotFoundError(uri);
        return resourceRead.toResult(operationResult(callAnswer.outcome));
      }),
    );
  }
}

interface ResourceRead {
  call: { tool: string; arguments: string };
  toResult(answer: Result): ReadResourceResult;
}

function resolveResourceRead(wireNames: WireNames, uri: string): ResourceRead {
  const target = wireNames.parseUri(uri);
  if (!target) throw new ResourceNotFoundError(uri);
  return target.connection === 'knowledge' ? readOfDocument(target, uri) : readOfConnection(target, wireNames);
}

const readOfConnection = ({ connection, name }: NameTarget, wireNames: WireNames): ResourceRead => ({
  call: { tool: `${connection}__resources_read`, arguments: JSON.stringify({ uri: name }) },
  toResult(answer) {
    const { contents, ...others } = answer as ReadResourceResult;
    return {
      ...others,
      contents: contents.map((part) => ({ ...part, uri: wireNames.toWireUri(connection, part.uri) })),
    };
  },
});

const documentNamePattern = /^([0-9a-f-]{36})(?:\?from=(\d{1,9}))?$/;

function readOfDocument({ name }: NameTarget, uri: string): ResourceRead {
  const [, documentId, from = '0'] = documentNamePattern.exec(name) ?? [];
  if (!documentId) throw new ResourceNotFoundError(uri);
  return {
    call: { tool: 'knowledge__read', arguments: JSON.stringify({ documentId, from: Number(from) }) },
    toResult({ text, next, ...citation }) {
      const more = typeof next === 'number' ? `\n\n(Continues at ${documentUri(documentId, next)})` : '';
      const part = { uri, mimeType: documentType, text: `${String(text)}${more}` };
      return { contents: [{ ...part, _meta: { 'countersign/citation': citation } }] };
    },
  };
}
