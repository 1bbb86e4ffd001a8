import { Injectable, type OnModuleInit } from '@nestjs/common';
import { z } from 'zod';
import {
  ToolsService,
  type ExecutionContext,
  type OfferedTool,
  type ToolProvider,
  type ToolResult,
} from '../connections/tools.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import { Problem } from '../platform/errors/problem.js';
import { parseBody } from '../platform/http/read-json.js';
import { canonical, type JsonObject, type JsonValue } from '../platform/json/strict-json.js';
import { documentKinds } from './document.entity.js';
import { SearchService, type Found, type Passage, type Reading } from './search.service.js';

const searchArguments = z.object({
  query: z.string().min(1).max(1000),
  limit: z.int().min(1).max(20).optional(),
  kind: z.enum(documentKinds).optional(),
});
const readArguments = z.object({ documentId: z.uuid(), from: z.int().min(0).optional() });

type Definition = Pick<OfferedTool, 'title' | 'description' | 'inputSchema' | 'outputSchema'>;

const nullable = (type: string): JsonObject => ({ type: [type, 'null'] });
const cited: JsonObject = {
  documentId: { type: 'string' },
  title: { type: 'string' },
  url: nullable('string'),
  source: { type: 'string', description: 'Short name of the connection' },
  kind: { type: 'string', enum: [...documentKinds] },
  position: { type: 'string', description: 'Lines or page' },
  updatedAt: nullable('string'),
  retrievedAt: { type: 'string', format: 'date-time' },
};

const definitions: Record<string, Definition> = {
  search: {
    title: 'Search the organization’s knowledge',
    description:
      'Finds passages in the documents that the reader may see: handbooks, code, tickets, messages. Ask with the words that the text would use; ' +
      'a whole question works, too. Each passage comes with title, address and position to cite. Use read for the text around it.',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['query'],
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 1000, description: 'What to look for' },
        limit: { type: 'integer', minimum: 1, maximum: 20, description: 'How many passages; 8 if absent' },
        kind: { type: 'string', enum: [...documentKinds], description: 'Only documents of this kind' },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['passages', 'sources', 'documents'],
      properties: {
        passages: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              ...cited,
              chunkId: { type: 'string' },
              heading: { type: 'string' },
              snippet: { type: 'string' },
              highlights: { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
              text: { type: 'string' },
              score: { type: 'number' },
              coverage: {
                type: 'number',
                description: 'Share of the question’s informative words in the passage, 0 to 1',
              },
            },
          },
        },
        sources: { type: 'integer', description: 'Connections that were searched' },
        documents: { type: 'integer', description: 'Documents that the reader may see in them' },
      },
    },
  },
  read: {
    title: 'Read a document',
    description:
      'Gives the text of a document that a search found, from the beginning or from a passage on. "next" is what to pass as "from" to read on.',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['documentId'],
      properties: {
        documentId: { type: 'string', format: 'uuid', description: 'From a search' },
        from: { type: 'integer', minimum: 0, description: 'Number of the passage to begin with; 0 if absent' },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['documentId', 'title', 'text', 'next'],
      properties: { ...cited, text: { type: 'string' }, next: nullable('integer') },
    },
  },
};

/** Search and read are tools like any other: only the gate calls them, so that policy, audit and pauses hold for knowledge, too. */
@Injectable()
export class KnowledgeTools implements ToolProvider, OnModuleInit {
  readonly slug = 'knowledge';
  private readonly offered = Object.entries(definitions).map(([name, definition]) =>
    offer(`${this.slug}__${name}`, definition),
  );

  constructor(
    private readonly registry: ToolsService,
    private readonly knowledge: SearchService,
  ) {}

  onModuleInit(): void {
    this.registry.registerProvider(this);
  }

  async tools(): Promise<OfferedTool[]> {
    return this.offered;
  }

  async execute(context: ExecutionContext, toolName: string, args: JsonObject): Promise<ToolResult> {
    try {
      if (toolName === 'knowledge__search') return await this.search(context, args);
      if (toolName === 'knowledge__read') return await this.read(context, args);
    } catch (error) {
      // told to the caller as an outcome: asking for what is not there is no fault of ours
      if (error instanceof Problem)
        return {
          content: [{ type: 'text', text: error.message }],
          structured: { code: error.code },
          isError: true,
          outside: false,
        };
      throw error;
    }
    throw new Error(`knowledge has no tool "${toolName}"`);
  }

  private async search(
    { principal, connectionIds, readerGroups }: ExecutionContext,
    args: JsonObject,
  ): Promise<ToolResult> {
    const found = await this.knowledge.search(
      principal,
      { connectionIds, groups: readerGroups },
      parseBody(searchArguments, args),
    );
    const structured = { ...found, passages: found.passages.map(({ why: _, ...passage }) => passage) };
    return {
      content: [{ type: 'text', text: inWords(found) }],
      structured: asJson(structured),
      isError: false,
      outside: found.passages.length > 0,
    };
  }

  private async read(
    { principal, connectionIds, readerGroups }: ExecutionContext,
    args: JsonObject,
  ): Promise<ToolResult> {
    const { documentId, from } = parseBody(readArguments, args);
    const reading = await this.knowledge.read(principal, { connectionIds, groups: readerGroups }, documentId, from);
    const text = `${cite(reading)}\n\n${reading.text}${reading.next === null ? '' : `\n\n(It goes on: read again with "from": ${reading.next}.)`}`;
    return { content: [{ type: 'text', text }], structured: asJson({ ...reading }), isError: false, outside: true };
  }
}

function offer(name: string, definition: Definition): OfferedTool {
  const definitionHash = sha256(canonical({ name, ...definition })).toString('hex');
  return {
    name,
    ...definition,
    connectionId: null,
    connectionSlug: 'knowledge',
    connectionRevision: 0,
    operation: 'tool',
    effect: 'read',
    definitionHash,
    paused: false,
    heldBack: false,
  };
}

const cite = ({ title, source, position, url }: Passage | Reading) =>
  `${title} (${source}, ${position}${url ? `, ${url}` : ''})`;

function inWords({ passages, sources, documents }: Found): string {
  if (!passages.length) return `Nothing found in ${documents} documents of ${sources} sources.`;
  return passages
    .map(
      (passage, index) =>
        `[${index + 1}] ${cite(passage)}${passage.heading ? `\n${passage.heading}` : ''}\n${passage.text}`,
    )
    .join('\n\n');
}

/** As it will look to whoever reads the JSON: times as text. */
const asJson = (value: object): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;
