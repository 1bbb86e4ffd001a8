import { Get } from '@nestjs/common';
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
import { ApiController } from './api-controller.decorator.js';
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
import { configurationIdParameter, exampleValues, textSchema, integerParameter } from './schemas.js';

const documentNotFound = { code: 'document-not-found' };

/** Search and reading are tools, and pass the gate like any other. */
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
  description: 'The policies ask for a person before this is read',
  schema: callSchema,
  headers: { Location: 'Where the outcome is told', 'Retry-After': 'When to look again, in seconds' },
  example: {
    id: exampleValues.call,
    configuration: exampleValues.configuration,
    tool: 'knowledge__search',
    state: 'awaiting_approval',
    replayed: false,
    approval: { id: exampleValues.approval, expiresAt: exampleValues.time, notFourEyes: false },
    error: null,
    result: null,
  },
};
const citation = {
  documentId: exampleValues.document,
  title: 'Buying things',
  url: null,
  source: 'handbook',
  kind: 'doc',
  position: 'lines 12–30',
  updatedAt: exampleValues.time,
  retrievedAt: exampleValues.time,
};

const search = defineOperation({
  id: 'search',
  tag: 'Knowledge',
  summary: 'Search the organization’s knowledge',
  description:
    'Passages of the documents that you may read, the best first, each with what is needed to cite it. A whole question works, too.',
  scope: 'api:read',
  query: z.strictObject({
    q: textSchema(1000).meta({ description: 'What to look for' }),
    configuration: configurationIdParameter.optional(),
    limit: integerParameter(1, 20).default(8).meta({ description: 'How many passages at most' }),
    kind: z
      .enum(apiDocumentKinds, `has to be one of ${apiDocumentKinds.join(', ')}`)
      .optional()
      .meta({ description: 'Only documents of this kind' }),
  }),
  answers: {
    200: {
      description: 'What was found; nothing is an answer, too',
      schema: searchResultSchema,
      example: {
        callId: exampleValues.call,
        configuration: exampleValues.configuration,
        passages: [
          {
            n: 1,
            ...citation,
            heading: 'New software',
            snippet: 'The check takes eight working days.',
            highlights: [[4, 9]],
            text: 'The check takes eight working days.',
            score: 7.31,
            coverage: 0.92,
          },
        ],
        sources: 2,
        documents: 98,
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
  description: 'Its text, from the beginning or from a passage on, as much as fits in one answer.',
  scope: 'api:read',
  params: z.object({ id: z.uuid().meta({ description: 'The document, from a search' }) }),
  query: z.strictObject({
    configuration: configurationIdParameter.optional(),
    from: integerParameter(0, 1_000_000).default(0).meta({ description: 'Number of the passage to begin with' }),
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

@ApiController('')
export class KnowledgeController {
  constructor(
    private readonly configurations: UsableConfigurationsService,
    private readonly apiCalls: ApiCallsService,
  ) {}

  @Get('search')
  @Serves(search)
  async search(@CurrentPrincipal() principal: Principal, @OperationRequest() { query }: OperationInput<typeof search>) {
    const { id: configurationId } = await this.configurations.resolve(principal, query.configuration);
    const { q, limit, kind } = query;
    const callRequest = {
      configurationId,
      tool: 'knowledge__search',
      arguments: JSON.stringify({ query: q, limit, kind }),
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
