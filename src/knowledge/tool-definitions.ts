import type { OfferedTool } from '../connections/tools.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { documentKinds } from './document.entity.js';

/** `operation`: protocols list resources, models search instead. */
type KnowledgeToolDefinition = Pick<
  OfferedTool,
  'operation' | 'title' | 'description' | 'inputSchema' | 'outputSchema'
>;

const nullable = (type: string): JsonObject => ({ type: [type, 'null'] });
const documentProperties: JsonObject = {
  documentId: { type: 'string' },
  title: { type: 'string' },
  url: nullable('string'),
  source: { type: 'string', description: 'Short name of the connection' },
  kind: { type: 'string', enum: [...documentKinds] },
  updatedAt: nullable('string'),
  retrievedAt: { type: 'string', format: 'date-time' },
};
const citedProperties: JsonObject = {
  ...documentProperties,
  position: { type: 'string', description: 'Lines or page' },
};

export const knowledgeToolDefinitions: Record<string, KnowledgeToolDefinition> = {
  search: {
    operation: 'tool',
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
      required: ['citations', 'passages', 'sources', 'documents'],
      properties: {
        citations: {
          type: 'array',
          description: 'To cite passages by: [1], [2], …, in their order',
          items: {
            type: 'object',
            required: ['n', 'title', 'url', 'source', 'kind', 'snippet', 'retrievedAt'],
            properties: {
              n: { type: 'integer' },
              documentId: documentProperties.documentId,
              title: documentProperties.title,
              url: documentProperties.url,
              source: documentProperties.source,
              kind: documentProperties.kind,
              snippet: { type: 'string' },
              retrievedAt: documentProperties.retrievedAt,
            },
          },
        },
        passages: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              ...citedProperties,
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
    operation: 'tool',
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
      properties: { ...citedProperties, text: { type: 'string' }, next: nullable('integer') },
    },
  },
  documents: {
    operation: 'resources',
    title: 'List documents',
    description:
      'Names the documents that the reader may see, in the order in which they were taken over. "next" is what to pass as "after" to go on.',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        after: { type: 'string', format: 'uuid', description: 'The document to go on behind' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many; 100 if absent' },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['documents', 'next'],
      properties: {
        documents: { type: 'array', items: { type: 'object', properties: documentProperties } },
        next: nullable('string'),
      },
    },
  },
};
