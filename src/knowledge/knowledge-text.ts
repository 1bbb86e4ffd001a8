import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'A part of the indexed text of a document.' })
export class KnowledgeText {
  @Field(() => ID)
  documentId: string;

  @Field()
  title: string;

  @Field({ description: 'The position of this part: "lines 1–120", "pages 2–4".' })
  position: string;

  @Field()
  text: string;

  @Field(() => Int, { nullable: true, description: 'Pass it as "from" to read the next part; null at the end.' })
  next: number | null;

  @Field(() => GraphQLISODateTime)
  retrievedAt: Date;
}
