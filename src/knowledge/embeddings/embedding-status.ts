import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'How far the vectors for search by meaning are.' })
export class EmbeddingStatus {
  @Field(() => ID, { description: 'The connection to the embedding model.' })
  connectionId: string;

  @Field()
  model: string;

  @Field(() => Int, { nullable: true, description: 'Of each vector. Null until the first response of the model.' })
  dimensions: number | null;

  @Field(() => Int, { description: 'Documents whose passages all have vectors.' })
  embeddedDocuments: number;

  @Field(() => Int, { description: 'All documents.' })
  documents: number;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed. It is repeated automatically.' })
  failure: string | null;

  @Field(() => Float, { description: 'Tokens of this month (UTC).' })
  tokensThisMonth: number;
}
