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
  source: { type: 'string', description: 'Slug of the connection' },
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

const passageProperties: JsonObject = {
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
  similarity: {
    type: ['number', 'null'],
    description: 'Similarity of meaning to the query, −1 to 1; null if the passage has no vector',
  },
  relevance: { type: 'number', description: 'The sort key of the passages' },
  freshness: { type: 'number', description: 'Factor of the relevance: below 1 for older documents' },
  authority: {
    type: 'number',
    description: 'Factor of the relevance: below 1 for a draft or a document that is no longer valid',
  },
  duplicates: {
    type: 'array',
    description: 'Passages with almost the same text',
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
};

export const knowledgeToolDefinitions: Record<string, KnowledgeToolDefinition> = {
  search: {
    operation: 'tool',
    title: 'Search the organization’s knowledge',
    description:
      'Finds passages in the documents that the reader may see: handbooks, code, tickets, messages. Use the words that the text would use, or a whole question. ' +
      'Each passage has a title, an address and a position to cite. Use read for the surrounding text. ' +
      'Tickets and pages that the passages name are included, up to three. ' +
      'If passages contradict each other, report both, with their sources and dates.',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['query'],
      properties: {
        query: {
          type: 'string',
          minLength: 1,
          maxLength: 1000,
          description: 'The words or the question to search for',
        },
        limit: { type: 'integer', minimum: 1, maximum: 20, description: 'Maximum number of passages. Default: 8' },
        kind: { type: 'string', enum: [...documentKinds], description: 'Only documents of this kind' },
        sources: {
          type: 'array',
          minItems: 1,
          maxItems: 50,
          items: { type: 'string', minLength: 1, maxLength: 100 },
          description: 'Only these connections, by their slugs',
        },
        container: {
          type: 'string',
          minLength: 1,
          maxLength: 300,
          description: 'Only this repository, project, space or channel, with the title that results have',
        },
        author: {
          type: 'string',
          minLength: 1,
          maxLength: 300,
          description: 'Only documents of this author, with the name that results have',
        },
        changedSince: {
          type: 'string',
          minLength: 10,
          maxLength: 40,
          description:
            'Only documents last changed at this time or later: a day (UTC), such as 2026-01-31, or a time with its offset',
        },
        changedBefore: {
          type: 'string',
          minLength: 10,
          maxLength: 40,
          description: 'Only documents last changed before this time: a day (UTC) or a time with its offset',
        },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['citations', 'passages', 'linked', 'sources', 'documents'],
      properties: {
        citations: {
          type: 'array',
          description: 'Citations of the passages and then of the linked ones, numbered [1], [2], … in the same order',
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
            properties: passageProperties,
          },
        },
        linked: {
          type: 'array',
          description:
            'Passages of documents that the passages name by a ticket key or an address and that match the filters. They continue the numbers of the citations',
          items: {
            type: 'object',
            properties: {
              ...passageProperties,
              linkedFrom: { type: 'string', description: 'chunkId of the passage that names the document' },
            },
          },
        },
        sources: { type: 'integer', description: 'Number of searched connections' },
        documents: { type: 'integer', description: 'Number of documents in them that the reader may see' },
        meaning: {
          type: 'string',
          enum: ['off', 'used', 'unavailable'],
          description:
            'Whether passages were also searched by meaning: off without an embedding model, unavailable if the model failed',
        },
      },
    },
  },
  read: {
    operation: 'tool',
    title: 'Read a document',
    description:
      'Returns the text of a document from a search, from the beginning or from a passage. To continue, pass "next" as "from".',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['documentId'],
      properties: {
        documentId: { type: 'string', format: 'uuid', description: 'From a search' },
        from: { type: 'integer', minimum: 0, description: 'Number of the first passage. Default: 0' },
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
      'Lists the documents that the reader may see, in the order in which they were indexed. To continue, pass "next" as "after".',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        after: { type: 'string', format: 'uuid', description: 'ID of the last document of the previous page' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Maximum number of documents. Default: 100' },
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
