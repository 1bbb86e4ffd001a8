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
    invitation: { description: 'Made the invitation link.' },
    reset: { description: 'Made a link that reset the password.' },
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

@ObjectType({ description: 'Somebody acted in a way that would have let them use the account of a member.' })
class MemberIntroduction {
  @Field(() => introductionKinds)
  kind: IntroductionKind;

  @Field(() => IntroducingMember)
  by: IntroducingMember;

  @Field(() => GraphQLISODateTime)
  at: Date;
}

@ObjectType({ description: 'A statement that the member alone can sign in to the account.' })
class IndependenceVouch {
  @Field(() => IntroducingMember, { nullable: true, description: 'Null: the operator of the server.' })
  by: IntroducingMember | null;

  @Field(() => GraphQLISODateTime)
  at: Date;
}

@ObjectType({ description: 'Whether a member counts as a person of their own when somebody reviews calls.' })
export class MemberIndependence {
  @Field(() => ID)
  memberId: string;

  @Field(() => [MemberIntroduction], {
    description: 'Oldest first. None: the operator of the server let the member in.',
  })
  introductions: MemberIntroduction[];

  @Field(() => [IndependenceVouch], { description: 'Oldest first.' })
  vouches: IndependenceVouch[];

  @Field(() => [IntroducingMember], {
    description: 'The member does not review calls of these people, until somebody independent of them has vouched.',
  })
  dependsOn: IntroducingMember[];

  @Field({ description: 'Your vouch would have an effect.' })
  canVouch: boolean;
}
