import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { IntroductionKind } from './independence.js';

const introductionKinds = {
  invitation: 'invitation',
  reset: 'reset',
  provider: 'provider',
  reactivation: 'reactivation',
} as const satisfies Record<IntroductionKind, IntroductionKind>;
registerEnumType(introductionKinds, {
  name: 'IntroductionKind',
  valuesMap: {
    invitation: { description: 'Created the invitation link.' },
    reset: { description: 'Created a link that reset the password.' },
    provider: { description: 'Configured the sign-in provider that the member can use.' },
    reactivation: { description: 'Reactivated the suspended member.' },
  },
});

@ObjectType()
export class IntroducingMember {
  @Field(() => ID)
  id: string;

  @Field(() => String, { nullable: true, description: 'Null if the member was erased.' })
  name: string | null;
}

@ObjectType({ description: 'An action that would have let a person use the account of a member.' })
class MemberIntroduction {
  @Field(() => introductionKinds)
  kind: IntroductionKind;

  @Field(() => IntroducingMember)
  by: IntroducingMember;

  @Field(() => GraphQLISODateTime)
  at: Date;
}

@ObjectType({ description: 'A statement that only the member can sign in to the account.' })
class IndependenceVouch {
  @Field(() => IntroducingMember, { nullable: true, description: 'Null: the operator of the server.' })
  by: IntroducingMember | null;

  @Field(() => GraphQLISODateTime)
  at: Date;
}

@ObjectType({ description: 'Whether a member counts as an independent person in reviews of calls.' })
export class MemberIndependence {
  @Field(() => ID)
  memberId: string;

  @Field(() => [MemberIntroduction], {
    description: 'Oldest first. Empty: the operator of the server created the member.',
  })
  introductions: MemberIntroduction[];

  @Field(() => [IndependenceVouch], { description: 'Oldest first.' })
  vouches: IndependenceVouch[];

  @Field(() => [IntroducingMember], {
    description:
      'The member cannot review calls of these people until someone independent of them vouches for the member.',
  })
  dependsOn: IntroducingMember[];

  @Field({ description: 'Whether your vouch would have an effect.' })
  canVouch: boolean;
}
