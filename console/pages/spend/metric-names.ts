import type { Metric } from '../../../src/spend/usage-row.ts';

/** Column headers, in the order of the table. */
export const metricNames: Record<Metric, string> = {
  ai_requests_chat: 'Chat',
  ai_requests_agent: 'Agent',
  ai_requests_composer: 'Composer',
  ai_requests_cmdk: 'Inline edit',
  tab_completions_shown: 'Completions shown',
  tab_completions_accepted: 'Completions accepted',
  applies_accepted: 'Changes accepted',
  applies_rejected: 'Changes rejected',
  lines_accepted_added: 'Lines added',
  lines_accepted_deleted: 'Lines deleted',
  subscription_included_requests: 'Included',
  usage_based_requests: 'Usage-based',
  byo_api_key_requests: 'Own API key',
  input_tokens: 'Input',
  output_tokens: 'Output',
  cache_read_tokens: 'Cache read',
  cache_creation_tokens: 'Cache creation',
};
export const metrics = Object.keys(metricNames) as Metric[];
