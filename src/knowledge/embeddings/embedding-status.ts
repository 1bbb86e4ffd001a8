import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'The progress of search by meaning.' })
export class EmbeddingStatus {
  @Field(() => ID, { description: 'The connection to the embedding model.' })
  connectionId: string;

  @Field()
  model: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of dimensions of each vector. Null until the first response of the model.',
  })
  dimensions: number | null;

  @Field(() => Int, { description: 'Number of documents with vectors for all passages.' })
  embeddedDocuments: number;

  @Field(() => Int, { description: 'Number of documents in the organization.' })
  documents: number;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed. It is retried automatically.' })
  failure: string | null;

  @Field(() => Float, { description: 'Tokens used this month (UTC).' })
  tokensThisMonth: number;
}
