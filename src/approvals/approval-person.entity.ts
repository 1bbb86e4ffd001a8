import { Field, ID, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'A member named in an approval.' })
export class ApprovalPerson {
  @Field(() => ID)
  id: string;

  @Field(() => String, { nullable: true, description: 'Null if the member was erased.' })
  name: string | null;
}

@ObjectType({ description: 'A member who approved.' })
export class ApprovalVote extends ApprovalPerson {
  @Field(() => ApprovalPerson, {
    nullable: true,
    description: 'The approver in whose place they approved; null for themselves.',
  })
  substituteFor: ApprovalPerson | null;
}
