import { Field, Float, ObjectType } from '@nestjs/graphql';
import { metricUnits, type Metric } from '../usage-row.js';

/** The vendor-independent metrics and their meaning. */
export const metricDescriptions = {
  ai_requests_chat: 'Requests in the chat.',
  ai_requests_agent: 'Requests to the agent.',
  ai_requests_composer: 'Requests in the composer.',
  ai_requests_cmdk: 'Inline edit requests.',
  tab_completions_shown: 'Completions shown.',
  tab_completions_accepted: 'Completions accepted.',
  applies_accepted: 'Accepted changes by the assistant.',
  applies_rejected: 'Rejected changes by the assistant.',
  lines_accepted_added: 'Lines added by accepted changes.',
  lines_accepted_deleted: 'Lines deleted by accepted changes.',
  subscription_included_requests: 'Requests covered by the subscription.',
  usage_based_requests: 'Requests charged in addition to the subscription.',
  byo_api_key_requests: 'Requests with the user’s own API key for a model.',
  input_tokens: 'Input tokens.',
  output_tokens: 'Output tokens.',
  cache_read_tokens: 'Tokens read from a cache.',
  cache_creation_tokens: 'Tokens written to a cache.',
} as const satisfies Record<Metric, string>;

const MetricField = (metric: Metric) =>
  Field(() => Float, { nullable: true, description: `${metricDescriptions[metric]} Unit: ${metricUnits[metric]}.` });

@ObjectType({
  description:
    'Sums of the counts that vendors report, with the same names as in exports. Whole numbers. Null means unknown, which differs from 0.',
})
export class SpendMetrics implements Record<Metric, number | null> {
  @MetricField('ai_requests_chat')
  ai_requests_chat: number | null;

  @MetricField('ai_requests_agent')
  ai_requests_agent: number | null;

  @MetricField('ai_requests_composer')
  ai_requests_composer: number | null;

  @MetricField('ai_requests_cmdk')
  ai_requests_cmdk: number | null;

  @MetricField('tab_completions_shown')
  tab_completions_shown: number | null;

  @MetricField('tab_completions_accepted')
  tab_completions_accepted: number | null;

  @MetricField('applies_accepted')
  applies_accepted: number | null;

  @MetricField('applies_rejected')
  applies_rejected: number | null;

  @MetricField('lines_accepted_added')
  lines_accepted_added: number | null;

  @MetricField('lines_accepted_deleted')
  lines_accepted_deleted: number | null;

  @MetricField('subscription_included_requests')
  subscription_included_requests: number | null;

  @MetricField('usage_based_requests')
  usage_based_requests: number | null;

  @MetricField('byo_api_key_requests')
  byo_api_key_requests: number | null;

  @MetricField('input_tokens')
  input_tokens: number | null;

  @MetricField('output_tokens')
  output_tokens: number | null;

  @MetricField('cache_read_tokens')
  cache_read_tokens: number | null;

  @MetricField('cache_creation_tokens')
  cache_creation_tokens: number | null;
}
