import { Field, ID, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'Somebody whom an approval step names, and whether they may decide on this call.' })
export class ApprovalCandidate {
  @Field(() => ID)
  id: string;

  @Field(() => String, { nullable: true, description: 'Null if the member was erased.' })
  name: string | null;

  @Field()
  mayDecide: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Why they may not decide. The viewer is addressed as "you".',
  })
  reason: string | null;

  @Field(() => String, { nullable: true, description: 'What would let them decide on later calls.' })
  nextStep: string | null;
}
