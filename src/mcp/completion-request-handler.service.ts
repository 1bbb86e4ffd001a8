import type { CompleteRequestParams, CompleteResult, Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { McpHandlerRunner } from './mcp-handler-runner.service.js';
import type { IncomingRequest } from './incoming-request.js';
import type { McpCaller } from './mcp-caller.js';
import { McpCallsService } from './calls/mcp-calls.service.js';
import type { WireNames } from './wire-names.js';
import { WireNamesService } from './wire-names.service.js';
import { isUnknown, operationResult } from './operation-result.js';

const emptyCompletion: CompleteResult = { completion: { values: [], total: 0, hasMore: false } };

/** `completion/complete`. */
@Injectable()
export class CompletionRequestHandler {
  constructor(
    private readonly wireNames: WireNamesService,
    private readonly calls: McpCallsService,
    private readonly mcpHandlerRunner: McpHandlerRunner,
  ) {}

  register(server: Server, caller: McpCaller, incoming: IncomingRequest): void {
    server.setRequestHandler('completion/complete', ({ params }, ctx) =>
      this.mcpHandlerRunner.run(caller, incoming, async () => {
        const target = resolveCompletionTarget(params.ref, await this.wireNames.of(caller));
        if (!target) return emptyCompletion;
        const { argument, context } = params;
        const callAnswer = await this.calls.run(caller, ctx, {
          operation: 'completions',
          tool: `${target.connection}__completion_complete`,
          arguments: JSON.stringify({ ref: target.ref, argument, context }),
        });
        if (callAnswer.kind === 'result') return callAnswer.result as CompleteResult;
        // not every system supports completion, and clients do not need to know which ones do
        if (isUnknown(callAnswer.outcome)) return emptyCompletion;
        return operationResult(callAnswer.outcome) as CompleteResult;
      }),
    );
  }
}

type Reference = CompleteRequestParams['ref'];

function resolveCompletionTarget(ref: Reference, wireNames: WireNames): { connection: string; ref: Reference } | null {
  const target = ref.type === 'ref/prompt' ? wireNames.parseName(ref.name) : wireNames.parseUri(ref.uri);
  if (!target) return null;
  const { connection, name } = target;
  return ref.type === 'ref/prompt'
    ? { connection, ref: { type: ref.type, name } }
    : { connection, ref: { type: ref.type, uri: name } };
}
