import type { CompleteRequestParams, CompleteResult, Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { Answering } from './answering.service.js';
import type { Asked } from './asked.js';
import type { Caller } from './caller.js';
import { McpCalls } from './calls/mcp-calls.service.js';
import type { Names } from './names.js';
import { Naming } from './naming.service.js';
import { isUnknown, operationResult } from './operation-result.js';

const nothing: CompleteResult = { completion: { values: [], total: 0, hasMore: false } };

/** `completion/complete`. */
@Injectable()
export class CompletionHandlers {
  constructor(
    private readonly naming: Naming,
    private readonly calls: McpCalls,
    private readonly answering: Answering,
  ) {}

  register(server: Server, caller: Caller, asked: Asked): void {
    server.setRequestHandler('completion/complete', ({ params }, ctx) =>
      this.answering.to(caller, asked, async () => {
        const meant = meantBy(params.ref, await this.naming.of(caller));
        if (!meant) return nothing;
        const { argument, context } = params;
        const answered = await this.calls.run(caller, ctx, {
          operation: 'completions',
          tool: `${meant.connection}__completion_complete`,
          arguments: JSON.stringify({ ref: meant.ref, argument, context }),
        });
        if (answered.kind === 'result') return answered.result as CompleteResult;
        // not every system completes, and nobody has to know which do
        if (isUnknown(answered.outcome)) return nothing;
        return operationResult(answered.outcome) as CompleteResult;
      }),
    );
  }
}

type Reference = CompleteRequestParams['ref'];

function meantBy(ref: Reference, names: Names): { connection: string; ref: Reference } | null {
  const meant = ref.type === 'ref/prompt' ? names.meant(ref.name) : names.uriMeant(ref.uri);
  if (!meant) return null;
  const { connection, name } = meant;
  return ref.type === 'ref/prompt'
    ? { connection, ref: { type: ref.type, name } }
    : { connection, ref: { type: ref.type, uri: name } };
}
