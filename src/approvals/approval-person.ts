import { Field, ID, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'A member named in an approval.' })
export class ApprovalPerson {
  @Field(() => ID)
  id: string;

  @Field(() => String, { nullable: true, description: 'Null if the member was erased.' })
  name: string | null;
}
