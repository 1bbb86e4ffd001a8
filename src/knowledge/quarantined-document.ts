import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';

@ObjectType({
  description:
    'A document that is not read again automatically, because reading it crashed two worker processes. None of its content is stored.',
})
export class QuarantinedDocument {
  @Field(() => ID)
  id: string;

  @Field(() => ID)
  connectionId: string;

  @Field({ description: 'Its name in the source.' })
  externalId: string;

  @Field({ description: 'SHA-256 of its content. Other content is read as a new document.' })
  digest: string;

  @Field(() => Int, { description: 'In bytes.' })
  size: number;

  @Field()
  reason: string;

  @Field(() => GraphQLISODateTime)
  quarantinedAt: Date;
}
