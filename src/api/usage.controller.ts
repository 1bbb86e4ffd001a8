import { Get } from '@nestjs/common';
import { z } from 'zod';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { OwnUsageService } from '../spend/reports/own-usage.service.js';
import { ApiController } from './api-controller.decorator.js';
import { OperationRequest, type OperationInput, defineOperation, Serves } from '../rest/operation.js';
import { pagingParameters } from '../rest/schemas.js';
import { daySchema, usageSchema, toApiUsage } from './usage.wire.js';

const exampleFigures = {
  metrics: {
    ai_requests_chat: 12,
    ai_requests_agent: 48,
    ai_requests_composer: 0,
    ai_requests_cmdk: 7,
    tab_completions_shown: 310,
    tab_completions_accepted: 124,
    applies_accepted: 31,
    applies_rejected: 9,
    lines_accepted_added: 640,
    lines_accepted_deleted: 215,
    subscription_included_requests: 55,
    usage_based_requests: 12,
    byo_api_key_requests: 0,
    input_tokens: 48211,
    output_tokens: 9134,
    cache_read_tokens: null,
    cache_creation_tokens: null,
  },
  chargedCents: '412.0625',
  includedCents: '300',
  usageBasedCents: '112.0625',
  tabAcceptanceRate: 0.4,
  applyAcceptanceRate: 0.775,
  centsPerAcceptedLine: '0.6438',
};

const getUsage = defineOperation({
  id: 'getUsage',
  tag: 'You',
  summary: 'Get your usage of AI assistants',
  description:
    'Returns your own usage and its cost by day, week or month, as reported by the vendors. No role shows the usage of others here.',
  scope: 'api:read',
  query: z.strictObject({
    from: daySchema.meta({ description: 'The first day, in UTC' }),
    to: daySchema.meta({ description: 'The last day, at most ten years after the first' }),
    per: z
      .enum(['day', 'week', 'month', 'whole'], 'has to be one of day, week, month, whole')
      .default('day')
      .meta({ description: 'Length of a period; weeks start on Monday' }),
    ...pagingParameters,
  }),
  answers: {
    200: {
      description: 'Your usage',
      schema: usageSchema,
      example: {
        from: '2026-11-01',
        to: '2026-11-20',
        dataSince: '2026-08-22',
        provisional: [{ from: '2026-11-01', to: '2026-11-20' }],
        pending: [],
        lost: [],
        total: exampleFigures,
        periods: [{ from: '2026-11-20', to: '2026-11-20', ...exampleFigures }],
        nextCursor: null,
      },
    },
  },
  problems: [],
});

@ApiController('usage')
export class UsageController {
  constructor(private readonly own: OwnUsageService) {}

  @Get()
  @Serves(getUsage)
  async usage(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() { query }: OperationInput<typeof getUsage>,
  ) {
    const { from, to, per, limit, cursor } = query;
    const report = await this.own.report(principal, { from, to, per }, { first: limit, after: cursor });
    return toApiUsage({ from, to }, report);
  }
}
