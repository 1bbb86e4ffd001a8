import { Field, ID, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'Somebody whom an approval mentions.' })
export class ApprovalPerson {
  @Field(() => ID)
  id: string;

  @Field(() => String, { nullable: true, description: 'Null where nothing is known of them any more.' })
  name: string | null;
}
