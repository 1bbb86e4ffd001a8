import { Field, Float, ObjectType } from '@nestjs/graphql';
import type { Metric } from '../usage-row.js';

/** The metrics of the house, and what each counts. */
export const metricDescriptions = {
  ai_requests_chat: 'Requests in the chat.',
  ai_requests_agent: 'Requests to the agent.',
  ai_requests_composer: 'Requests in the composer.',
  ai_requests_cmdk: 'Requests by the inline-edit key.',
  tab_completions_shown: 'Completions that were shown.',
  tab_completions_accepted: 'Completions that were accepted.',
  applies_accepted: 'Changes by the assistant that were kept.',
  applies_rejected: 'Changes by the assistant that were thrown away.',
  lines_accepted_added: 'Lines that accepted changes added.',
  lines_accepted_deleted: 'Lines that accepted changes removed.',
  subscription_included_requests: 'Requests that the subscription covers.',
  usage_based_requests: 'Requests that are charged on top.',
  byo_api_key_requests: 'Requests with a model key of one’s own.',
  input_tokens: 'Tokens that models read.',
  output_tokens: 'Tokens that models wrote.',
  cache_read_tokens: 'Tokens that were read from a cache.',
  cache_creation_tokens: 'Tokens that were written to a cache.',
} as const satisfies Record<Metric, string>;

const MetricField = (metric: Metric) => Field(() => Float, { nullable: true, description: metricDescriptions[metric] });

@ObjectType({
  description:
    'What vendors count, summed up, under the names that exports have, too. Null is "nobody knows", which 0 is not. Whole numbers.',
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
