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
  author: nullable('string'),
  container: { type: ['string', 'null'], description: 'Repository, project, space or channel' },
  updatedAt: { type: ['string', 'null'], description: 'Last change in the source' },
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
      'a whole question works, too. Each passage comes with title, address and position to cite. Use read for the text around it. ' +
      'Where passages contradict each other, tell both, with their sources and dates.',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['query'],
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 1000, description: 'What to look for' },
        limit: { type: 'integer', minimum: 1, maximum: 20, description: 'How many passages; 8 if absent' },
        kind: { type: 'string', enum: [...documentKinds], description: 'Only documents of this kind' },
        sources: {
          type: 'array',
          minItems: 1,
          maxItems: 50,
          items: { type: 'string', minLength: 1, maxLength: 100 },
          description: 'Only these connections, by their short names',
        },
        container: {
          type: 'string',
          minLength: 1,
          maxLength: 300,
          description: 'Only this repository, project, space or channel, as a result names it',
        },
        author: {
          type: 'string',
          minLength: 1,
          maxLength: 300,
          description: 'Only by this author, as a result names them',
        },
        changedSince: {
          type: 'string',
          minLength: 10,
          maxLength: 40,
          description:
            'Only documents last changed on this day or later, such as 2026-01-31, or a time with its offset',
        },
        changedBefore: {
          type: 'string',
          minLength: 10,
          maxLength: 40,
          description: 'Only documents last changed before this day or time',
        },
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
              author: documentProperties.author,
              container: documentProperties.container,
              position: citedProperties.position,
              snippet: { type: 'string' },
              updatedAt: documentProperties.updatedAt,
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
              similarity: { type: ['number', 'null'], description: 'How near the meaning is to the question, −1 to 1' },
              relevance: { type: 'number', description: 'What the passages are sorted by' },
              freshness: { type: 'number', description: 'Factor in the relevance: below 1 for an old document' },
              authority: {
                type: 'number',
                description: 'Factor in the relevance: below 1 for a draft or a document that is no longer valid',
              },
              duplicates: {
                type: 'array',
                description: 'Passages of other documents that say almost the same',
                items: {
                  type: 'object',
                  properties: {
                    documentId: documentProperties.documentId,
                    chunkId: { type: 'string' },
                    title: documentProperties.title,
                    url: documentProperties.url,
                    source: documentProperties.source,
                    container: documentProperties.container,
                    position: citedProperties.position,
                  },
                },
              },
            },
          },
        },
        sources: { type: 'integer', description: 'Connections that were searched' },
        documents: { type: 'integer', description: 'Documents that the reader may see in them' },
        meaning: {
          type: 'string',
          enum: ['off', 'used', 'unavailable'],
          description: 'Whether passages were also found by their meaning, and not only by their words',
        },
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
