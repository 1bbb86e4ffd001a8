import { Get, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { configurationNotFound, configurationRequired } from '../configurations/configurations.error.js';
import { UsableConfigurationsService } from '../configurations/usable-configurations.service.js';
import {
  approvalDenied,
  approvalUnreachable,
  notPermitted,
  gatePaused,
  policyDenied,
  toolNotFound,
  upstreamFailed,
} from '../gate/call-outcome.error.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { callSchema } from './calls.wire.js';
import {
  searchResultSchema,
  toApiSearchResult,
  apiDocumentKinds,
  documentSchema,
  toApiDocument,
} from './knowledge.wire.js';
import { OperationRequest, type OperationInput, defineOperation, Serves } from './operation.js';
import { ApiCallsService } from './api-calls.service.js';
import { configurationIdParameter, dayParameter, exampleValues, textSchema, integerParameter } from './schemas.js';

const documentNotFound = { code: 'document-not-found' };

/** Search and reading are tool calls and pass the gate. */
const toolCallProblems = [
  configurationRequired,
  configurationNotFound,
  toolNotFound,
  policyDenied,
  approvalDenied,
  approvalUnreachable,
  notPermitted,
  gatePaused,
  upstreamFailed,
];
const pendingApprovalAnswer = {
  description: 'The policies require an approval',
  schema: callSchema,
  headers: { Location: 'URL of the call', 'Retry-After': 'Seconds until the next request' },
  example: {
    id: exampleValues.call,
    configuration: exampleValues.configuration,
    tool: 'knowledge__search',
    state: 'awaiting_approval',
    replayed: false,
    approval: { id: exampleValues.approval, expiresAt: exampleValues.time, notFourEyes: false },
    error: null,
    result: null,
    edit: null,
  },
};
const citation = {
  documentId: exampleValues.document,
  title: 'Buying things',
  url: null,
  source: 'handbook',
  kind: 'doc',
  author: 'Ada Byron',
  container: 'Finance',
  position: 'lines 12–30',
  updatedAt: exampleValues.time,
  retrievedAt: exampleValues.time,
};

const search = defineOperation({
  id: 'search',
  tag: 'Knowledge',
  summary: 'Search the organization’s knowledge',
  description:
    'Returns passages of the documents that you may read, best match first, each with its citation, and passages of tickets and pages that these name. The query can be a complete question.',
  scope: 'api:read',
  query: z.strictObject({
    q: textSchema(1000).meta({ description: 'The query' }),
    configuration: configurationIdParameter.optional(),
    limit: integerParameter(1, 20).default(8).meta({ description: 'Maximum number of passages' }),
    kind: z
      .enum(apiDocumentKinds, `has to be one of ${apiDocumentKinds.join(', ')}`)
      .optional()
      .meta({ description: 'Only documents of this kind' }),
    source: textSchema(100).optional().meta({ description: 'Only this connection, by its slug' }),
    container: textSchema(300).optional().meta({ description: 'Only this repository, project, space or channel' }),
    author: textSchema(300).optional().meta({ description: 'Only documents of this author' }),
    changedSince: dayParameter
      .optional()
      .meta({ description: 'Only documents last changed on this day (UTC) or later' }),
    changedBefore: dayParameter.optional().meta({ description: 'Only documents last changed before this day (UTC)' }),
  }),
  answers: {
    200: {
      description: 'The passages found; the list can be empty',
      schema: searchResultSchema,
      example: {
        callId: exampleValues.call,
        configuration: exampleValues.configuration,
        passages: [
          {
            n: 1,
            ...citation,
            heading: 'New software',
            snippet: 'The check takes eight working days, see SEC-12.',
            highlights: [[4, 9]],
            text: 'The check takes eight working days, see SEC-12.',
            score: 7.31,
            coverage: 0.92,
            similarity: null,
            relevance: 7.1,
            freshness: 0.97,
            authority: 1,
            duplicates: [],
          },
        ],
        linked: [
          {
            n: 2,
            ...citation,
            documentId: exampleValues.linkedDocument,
            title: 'SEC-12: Shorter security checks',
            url: 'https://tracker.example/browse/SEC-12',
            source: 'tracker',
            kind: 'ticket',
            container: 'Security',
            position: 'lines 1–4',
            heading: '',
            snippet: 'State: open',
            highlights: [],
            text: 'State: open',
            score: 0,
            coverage: 0,
            similarity: null,
            relevance: 0,
            freshness: 1,
            authority: 1,
            duplicates: [],
            namedIn: 1,
          },
        ],
        sources: 2,
        documents: 98,
        meaning: 'off',
      },
    },
    202: pendingApprovalAnswer,
  },
  problems: toolCallProblems,
});

const readDocument = defineOperation({
  id: 'readDocument',
  tag: 'Knowledge',
  summary: 'Read a document',
  description: 'Returns the text from the beginning or from a passage, up to the size limit of a response.',
  scope: 'api:read',
  params: z.object({ id: z.uuid().meta({ description: 'Id of the document, from a search' }) }),
  query: z.strictObject({
    configuration: configurationIdParameter.optional(),
    from: integerParameter(0, 1_000_000).default(0).meta({ description: 'Number of the first passage' }),
  }),
  answers: {
    200: {
      description: 'The document, or a part of it',
      schema: documentSchema,
      example: {
        callId: exampleValues.call,
        configuration: exampleValues.configuration,
        ...citation,
        text: '# Buying things\n\nThe check takes eight working days.',
        next: null,
      },
    },
    202: pendingApprovalAnswer,
  },
  problems: [documentNotFound, ...toolCallProblems],
});

@Injectable()
export abstract class MemberKnowledgeController {
  constructor(
    private readonly configurations: UsableConfigurationsService,
    private readonly apiCalls: ApiCallsService,
  ) {}

  @Get('search')
  @Serves(search)
  async search(@CurrentPrincipal() principal: Principal, @OperationRequest() { query }: OperationInput<typeof search>) {
    const { id: configurationId } = await this.configurations.resolve(principal, query.configuration);
    const { q, configuration: _, source, ...filters } = query;
    const callRequest = {
      configurationId,
      tool: 'knowledge__search',
      arguments: JSON.stringify({ query: q, ...filters, sources: source === undefined ? undefined : [source] }),
    };
    return this.apiCalls.call(principal, callRequest, {
      argumentsPointer: '',
      toBody: ({ callId, result }) => toApiSearchResult({ callId, configuration: configurationId }, result.structured),
    });
  }

  @Get('documents/:id')
  @Serves(readDocument)
  async read(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() { params, query }: OperationInput<typeof readDocument>,
  ) {
    const { id: configurationId } = await this.configurations.resolve(principal, query.configuration);
    const readArguments = { documentId: params.id, from: query.from };
    const callRequest = { configurationId, tool: 'knowledge__read', arguments: JSON.stringify(readArguments) };
    return this.apiCalls.call(principal, callRequest, {
      argumentsPointer: '',
      problemCodes: [documentNotFound.code],
      toBody: ({ callId, result }) => toApiDocument({ callId, configuration: configurationId }, result.structured),
    });
  }
}
