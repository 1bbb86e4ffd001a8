import { Field, ID, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'A member named by an approval step, and whether they can decide on this call.' })
export class ApprovalCandidate {
  @Field(() => ID)
  id: string;

  @Field(() => String, { nullable: true, description: 'Null if the member was erased.' })
  name: string | null;

  @Field(() => String, { nullable: true, description: 'The name of the approver whom they substitute.' })
  substituteFor: string | null;

  @Field()
  mayDecide: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Why they cannot decide. The text addresses the viewer as "you".',
  })
  reason: string | null;

  @Field({ description: 'Adding a passkey would make them eligible for later calls.' })
  needsPasskey: boolean;

  @Field(() => String, { nullable: true, description: 'What would make them eligible for later calls.' })
  nextStep: string | null;
}
