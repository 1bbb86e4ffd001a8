import { Field, Float, ObjectType } from '@nestjs/graphql';
import type { Metric } from '../usage-row.js';

@ObjectType({
  description:
    'What vendors count, summed up, under the names that exports have, too. Null is "nobody knows", which 0 is not. Whole numbers.',
})
export class SpendMetrics implements Record<Metric, number | null> {
  @Field(() => Float, { nullable: true, description: 'Requests in the chat.' })
  ai_requests_chat: number | null;

  @Field(() => Float, { nullable: true, description: 'Requests to the agent.' })
  ai_requests_agent: number | null;

  @Field(() => Float, { nullable: true, description: 'Requests in the composer.' })
  ai_requests_composer: number | null;

  @Field(() => Float, { nullable: true, description: 'Requests by the inline-edit key.' })
  ai_requests_cmdk: number | null;

  @Field(() => Float, { nullable: true, description: 'Completions that were shown.' })
  tab_completions_shown: number | null;

  @Field(() => Float, { nullable: true, description: 'Completions that were accepted.' })
  tab_completions_accepted: number | null;

  @Field(() => Float, { nullable: true, description: 'Changes by the assistant that were kept.' })
  applies_accepted: number | null;

  @Field(() => Float, { nullable: true, description: 'Changes by the assistant that were thrown away.' })
  applies_rejected: number | null;

  @Field(() => Float, { nullable: true, description: 'Lines that accepted changes added.' })
  lines_accepted_added: number | null;

  @Field(() => Float, { nullable: true, description: 'Lines that accepted changes removed.' })
  lines_accepted_deleted: number | null;

  @Field(() => Float, { nullable: true, description: 'Requests that the subscription covers.' })
  subscription_included_requests: number | null;

  @Field(() => Float, { nullable: true, description: 'Requests that are charged on top.' })
  usage_based_requests: number | null;

  @Field(() => Float, { nullable: true, description: 'Requests with a model key of one’s own.' })
  byo_api_key_requests: number | null;

  @Field(() => Float, { nullable: true, description: 'Tokens that models read.' })
  input_tokens: number | null;

  @Field(() => Float, { nullable: true, description: 'Tokens that models wrote.' })
  output_tokens: number | null;

  @Field(() => Float, { nullable: true, description: 'Tokens that were read from a cache.' })
  cache_read_tokens: number | null;

  @Field(() => Float, { nullable: true, description: 'Tokens that were written to a cache.' })
  cache_creation_tokens: number | null;
}
