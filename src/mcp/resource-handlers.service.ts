import { type ReadResourceResult, ResourceNotFoundError, type Result, type Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { Answering } from './answering.service.js';
import type { Asked } from './asked.js';
import type { Caller } from './caller.js';
import { McpCalls } from './calls/mcp-calls.service.js';
import { documentType, documentUri } from './knowledge-shelf.service.js';
import { Listings } from './listings.service.js';
import type { Meant, Names } from './names.js';
import { Naming } from './naming.service.js';
import { isMisnamed, isUnknown, operationResult } from './operation-result.js';

/** `resources/list`, `resources/templates/list` and `resources/read`. */
@Injectable()
export class ResourceHandlers {
  constructor(
    private readonly listings: Listings,
    private readonly naming: Naming,
    private readonly calls: McpCalls,
    private readonly answering: Answering,
  ) {}

  register(server: Server, caller: Caller, asked: Asked): void {
    server.setRequestHandler('resources/list', ({ params }, { mcpReq }) =>
      this.answering.to(caller, asked, () => this.listings.resources(caller, params?.cursor, mcpReq.signal)),
    );
    server.setRequestHandler('resources/templates/list', ({ params }, { mcpReq }) =>
      this.answering.to(caller, asked, () => this.listings.templates(caller, params?.cursor, mcpReq.signal)),
    );
    server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) =>
      this.answering.to(caller, asked, async () => {
        const names = await this.naming.of(caller);
        const reading = readingOf(names, uri);
        const answered = await this.calls.run(caller, ctx, { operation: 'resources', ...reading.call });
        if (answered.kind === 'result') return answered.result as ReadResourceResult;
        if (isUnknown(answered.outcome) || isMisnamed(answered.outcome)) throw new ResourceNotFoundError(uri);
        return reading.shown(operationResult(answered.outcome));
      }),
    );
  }
}

interface Reading {
  call: { tool: string; arguments: string };
  /** The gate's answer, on the wire. */
  shown(answer: Result): ReadResourceResult;
}

function readingOf(names: Names, uri: string): Reading {
  const meant = names.uriMeant(uri);
  if (!meant) throw new ResourceNotFoundError(uri);
  return meant.connection === 'knowledge' ? ofDocument(meant, uri) : ofSystem(meant, names);
}

const ofSystem = ({ connection, name }: Meant, names: Names): Reading => ({
  call: { tool: `${connection}__resources_read`, arguments: JSON.stringify({ uri: name }) },
  shown(answer) {
    const { contents } = answer as ReadResourceResult;
    return { contents: contents.map((part) => ({ ...part, uri: names.uriShown(connection, part.uri) })) };
  },
});

const document = /^([0-9a-f-]{36})(?:\?from=(\d{1,9}))?$/;

function ofDocument({ name }: Meant, uri: string): Reading {
  const [, documentId, from = '0'] = document.exec(name) ?? [];
  if (!documentId) throw new ResourceNotFoundError(uri);
  return {
    call: { tool: 'knowledge__read', arguments: JSON.stringify({ documentId, from: Number(from) }) },
    shown({ text, next, ...citation }) {
      const more = typeof next === 'number' ? `\n\n(It goes on at ${documentUri(documentId, next)})` : '';
      const part = { uri, mimeType: documentType, text: `${String(text)}${more}` };
      return { contents: [{ ...part, _meta: { 'countersign/citation': citation } }] };
    },
  };
}
