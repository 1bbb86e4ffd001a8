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
import { canonicalJson, type JsonObject, type JsonValue } from '../platform/json/strict-json.js';
import { documentKinds } from './document.entity.js';
import { knowledgeToolDefinitions } from './tool-definitions.js';
import { memberOf } from './member-of.js';
import {
  SearchService,
  type KnowledgeReader,
  type SearchResult,
  type SearchPassage,
  type DocumentExcerpt,
} from './search.service.js';

/** A day begins at 00:00 UTC. */
const time = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
const searchArguments = z.object({
  query: z.string().min(1).max(1000),
  limit: z.int().min(1).max(20).optional(),
  kind: z.enum(documentKinds).optional(),
  sources: z.array(z.string().min(1).max(100)).min(1).max(50).optional(),
  container: z.string().min(1).max(300).optional(),
  author: z.string().min(1).max(300).optional(),
  changedSince: time.optional(),
  changedBefore: time.optional(),
});
const readArguments = z.object({ documentId: z.uuid(), from: z.int().min(0).optional() });
const listArguments = z.object({ after: z.uuid().optional(), limit: z.int().min(1).max(100).optional() });

/** Offers search and read as tools. Only the gate calls them, so policies, audit and pauses also apply to knowledge. */
@Injectable()
export class KnowledgeToolProvider implements ToolProvider, OnModuleInit {
  readonly slug = 'knowledge';
  private readonly offered = Object.entries(knowledgeToolDefinitions).map(([name, definition]) =>
    toOfferedTool(`${this.slug}__${name}`, definition),
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
      if (toolName === 'knowledge__documents') return await this.list(context, args);
    } catch (error) {
      // a problem is an outcome for the caller, not a server error
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

  private async search(context: ExecutionContext, args: JsonObject): Promise<ToolResult> {
    const { changedSince, changedBefore, ...query } = parseBody(searchArguments, args);
    const result = await this.knowledge.search(context.principal, readerOf(context), {
      ...query,
      changedSince: toDate(changedSince),
      changedBefore: toDate(changedBefore),
      withLinked: true,
    });
    const structured = {
      citations: [...result.passages, ...result.linked].map(citation),
      sources: result.sources,
      documents: result.documents,
      meaning: result.meaning,
      passages: result.passages.map(({ why: _, ...passage }) => passage),
      linked: result.linked.map(({ why: _, ...passage }) => passage),
    };
    return {
      content: [{ type: 'text', text: searchResultText(result) }],
      structured: asJson(structured),
      isError: false,
      outside: result.passages.length > 0,
    };
  }

  private async read(context: ExecutionContext, args: JsonObject): Promise<ToolResult> {
    const { documentId, from } = parseBody(readArguments, args);
    const reading = await this.knowledge.read(context.principal, readerOf(context), documentId, from);
    const text = `${citationLine(reading)}\n\n${reading.text}${reading.next === null ? '' : `\n\n(To continue, call read again with "from": ${reading.next}.)`}`;
    return { content: [{ type: 'text', text }], structured: asJson({ ...reading }), isError: false, outside: true };
  }

  private async list(context: ExecutionContext, args: JsonObject): Promise<ToolResult> {
    const { after, limit } = parseBody(listArguments, args);
    const listed = await this.knowledge.list(context.principal, readerOf(context), after, limit);
    const text = listed.documents.map(({ title, source, documentId }) => `${title} (${source}): ${documentId}`);
    return {
      content: [{ type: 'text', text: text.join('\n') || 'There are no documents here.' }],
      structured: asJson({ ...listed }),
      isError: false,
      outside: listed.documents.length > 0,
    };
  }
}

/** With its own key, an agent reads for no member. */
const readerOf = ({ principal, connectionIds, readerGroups }: ExecutionContext): KnowledgeReader => ({
  connectionIds,
  groups: readerGroups,
  memberId: memberOf(principal),
});

function toOfferedTool(name: string, definition: (typeof knowledgeToolDefinitions)[string]): OfferedTool {
  const definitionHash = sha256(canonicalJson({ name, ...definition })).toString('hex');
  return {
    name,
    ...definition,
    connectionId: null,
    connectionSlug: 'knowledge',
    connectionRevision: 0,
    effect: 'read',
    definitionHash,
    isPaused: false,
    isPendingReview: false,
    isForeign: false,
  };
}

const toDate = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));

function citation(passage: SearchPassage, index: number) {
  const { documentId, title, url, source, kind, author, container, position, snippet, updatedAt, retrievedAt } =
    passage;
  const cited = { documentId, title, url, source, kind, author, container, position, snippet, updatedAt, retrievedAt };
  return { n: index + 1, ...cited };
}

function citationLine(cited: SearchPassage | DocumentExcerpt): string {
  const { title, source, container, author, updatedAt, position, url } = cited;
  const details = [
    [source, container].filter(Boolean).join(': '),
    position,
    author && `by ${author}`,
    updatedAt && `changed ${updatedAt.toISOString().slice(0, 10)}`,
    url,
  ];
  return `${title} (${details.filter(Boolean).join(', ')})`;
}

const duplicateLine = ({ duplicates }: SearchPassage): string =>
  duplicates.length
    ? `\n(Almost the same text in: ${duplicates.map(({ title, source }) => `${title} (${source})`).join('; ')})`
    : '';

function searchResultText({ passages, linked, sources, documents }: SearchResult): string {
  if (!passages.length) return `Nothing found in ${documents} documents of ${sources} sources.`;
  const numberOf = (chunkId: string) => passages.findIndex((passage) => passage.chunkId === chunkId) + 1;
  const texts = [
    ...passages.map((passage) => ({ passage, note: duplicateLine(passage) })),
    ...linked.map((passage) => ({ passage, note: `\n(Named in [${numberOf(passage.linkedFrom)}])` })),
  ];
  return texts
    .map(
      ({ passage, note }, index) =>
        `[${index + 1}] ${citationLine(passage)}${passage.heading ? `\n${passage.heading}` : ''}\n${passage.text}${note}`,
    )
    .join('\n\n');
}

/** Converts to plain JSON, with dates as strings. */
const asJson = (value: object): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;
