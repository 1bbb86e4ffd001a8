import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'A part of what a document says, as it was taken over.' })
export class KnowledgeText {
  @Field(() => ID)
  documentId: string;

  @Field()
  title: string;

  @Field({ description: 'What this part is: "lines 1–120", "pages 2–4".' })
  position: string;

  @Field()
  text: string;

  @Field(() => Int, { nullable: true, description: 'Where the next part begins ("from"); null at the end.' })
  next: number | null;

  @Field(() => GraphQLISODateTime)
  retrievedAt: Date;
}
