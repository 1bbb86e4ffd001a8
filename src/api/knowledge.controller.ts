import { Get } from '@nestjs/common';
import { z } from 'zod';
import { configurationNotFound, configurationRequired } from '../configurations/configurations.error.js';
import { UsableConfigurations } from '../configurations/usable-configurations.service.js';
import {
  approvalDenied,
  approvalUnreachable,
  notPermitted,
  paused,
  policyDenied,
  toolNotFound,
  upstreamFailed,
} from '../gate/refused.error.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ApiController } from './api-controller.decorator.js';
import { call } from './calls.wire.js';
import { found, foundOnWire, kinds, reading, readingOnWire } from './knowledge.wire.js';
import { Asked, type InputOf, operation, Serves } from './operation.js';
import { Outcomes } from './outcomes.service.js';
import { configuration, sample, text, whole } from './schemas.js';

const documentNotFound = { code: 'document-not-found' };

/** Search and reading are tools, and pass the gate like any other. */
const refusals = [
  configurationRequired,
  configurationNotFound,
  toolNotFound,
  policyDenied,
  approvalDenied,
  approvalUnreachable,
  notPermitted,
  paused,
  upstreamFailed,
];
const later = {
  description: 'The policies ask for a person before this is read',
  schema: call,
  headers: { Location: 'Where the outcome is told', 'Retry-After': 'When to look again, in seconds' },
  example: {
    id: sample.call,
    configuration: sample.configuration,
    tool: 'knowledge__search',
    state: 'awaiting_approval',
    replayed: false,
    approval: { id: sample.approval, expiresAt: sample.time, notFourEyes: false },
    error: null,
    result: null,
  },
};
const citation = {
  documentId: sample.document,
  title: 'Buying things',
  url: null,
  source: 'handbook',
  kind: 'doc',
  position: 'lines 12–30',
  updatedAt: sample.time,
  retrievedAt: sample.time,
};

const search = operation({
  id: 'search',
  tag: 'Knowledge',
  summary: 'Search the organization’s knowledge',
  description:
    'Passages of the documents that you may read, the best first, each with what is needed to cite it. A whole question works, too.',
  scope: 'api:read',
  query: z.strictObject({
    q: text(1000).meta({ description: 'What to look for' }),
    configuration: configuration.optional(),
    limit: whole(1, 20).default(8).meta({ description: 'How many passages at most' }),
    kind: z
      .enum(kinds, `has to be one of ${kinds.join(', ')}`)
      .optional()
      .meta({ description: 'Only documents of this kind' }),
  }),
  answers: {
    200: {
      description: 'What was found; nothing is an answer, too',
      schema: found,
      example: {
        callId: sample.call,
        configuration: sample.configuration,
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
    202: later,
  },
  problems: refusals,
});

const readDocument = operation({
  id: 'readDocument',
  tag: 'Knowledge',
  summary: 'Read a document',
  description: 'Its text, from the beginning or from a passage on, as much as fits in one answer.',
  scope: 'api:read',
  params: z.object({ id: z.uuid().meta({ description: 'The document, from a search' }) }),
  query: z.strictObject({
    configuration: configuration.optional(),
    from: whole(0, 1_000_000).default(0).meta({ description: 'Number of the passage to begin with' }),
  }),
  answers: {
    200: {
      description: 'The document, or a part of it',
      schema: reading,
      example: {
        callId: sample.call,
        configuration: sample.configuration,
        ...citation,
        text: '# Buying things\n\nThe check takes eight working days.',
        next: null,
      },
    },
    202: later,
  },
  problems: [documentNotFound, ...refusals],
});

@ApiController('')
export class KnowledgeController {
  constructor(
    private readonly configurations: UsableConfigurations,
    private readonly outcomes: Outcomes,
  ) {}

  @Get('search')
  @Serves(search)
  async search(@CurrentPrincipal() principal: Principal, @Asked() { query }: InputOf<typeof search>) {
    const { id: configurationId } = await this.configurations.choose(principal, query.configuration);
    const { q, limit, kind } = query;
    const asked = { configurationId, tool: 'knowledge__search', arguments: JSON.stringify({ query: q, limit, kind }) };
    return this.outcomes.call(principal, asked, {
      at: '',
      show: ({ callId, result }) => foundOnWire({ callId, configuration: configurationId }, result.structured),
    });
  }

  @Get('documents/:id')
  @Serves(readDocument)
  async read(@CurrentPrincipal() principal: Principal, @Asked() { params, query }: InputOf<typeof readDocument>) {
    const { id: configurationId } = await this.configurations.choose(principal, query.configuration);
    const named = { documentId: params.id, from: query.from };
    const asked = { configurationId, tool: 'knowledge__read', arguments: JSON.stringify(named) };
    return this.outcomes.call(principal, asked, {
      at: '',
      tells: [documentNotFound.code],
      show: ({ callId, result }) => readingOnWire({ callId, configuration: configurationId }, result.structured),
    });
  }
}
