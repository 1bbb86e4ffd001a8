import { ArgsType, Field, GraphQLISODateTime, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { IsBoolean, IsOptional, IsUUID, Length } from 'class-validator';
import { PageArgs } from '../../platform/graphql/connection.js';

export const AccountMatchEnum = {
  email: 'email',
  assigned: 'assigned',
  nobody: 'nobody',
  unverified: 'unverified',
  ambiguous: 'ambiguous',
  none: 'none',
} as const;
export type AccountMatch = keyof typeof AccountMatchEnum;
registerEnumType(AccountMatchEnum, {
  name: 'SourceAccountMatch',
  valuesMap: {
    email: { description: 'Its verified email address is the address of the member.' },
    assigned: { description: 'An administrator assigned it to the member.' },
    nobody: { description: 'An administrator marked it as belonging to no member.' },
    unverified: {
      description:
        'The member has its address, but has not signed in with the provider that verifies it. It grants no access.',
    },
    ambiguous: { description: 'Several members have its address. It grants no access.' },
    none: {
      description: 'No member has its address, or the source does not disclose the address. It grants no access.',
    },
  },
});

@ObjectType('SourceAccount', { description: 'An account of a source, and the member that it belongs to.' })
export class SourceAccountView {
  @Field(() => ID)
  id: string;

  @Field(() => ID)
  connectionId: string;

  @Field({ description: 'Its id in the source.' })
  externalId: string;

  @Field()
  name: string;

  @Field(() => String, { nullable: true })
  email: string | null;

  @Field(() => AccountMatchEnum)
  match: AccountMatch;

  @Field(() => ID, {
    nullable: true,
    description: 'The member that it belongs to. For "unverified", only a suggestion.',
  })
  memberId: string | null;

  @Field(() => String, { nullable: true })
  memberName: string | null;

  @Field(() => ID, { nullable: true })
  assignedBy: string | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  assignedAt: Date | null;
}

@ObjectType({ description: 'An audience whose documents cannot be found by anyone.' })
export class SourceAudienceGap {
  @Field(() => String, {
    nullable: true,
    description: 'Null: documents name the audience, but the source does not list it.',
  })
  title: string | null;

  @Field(() => String, { nullable: true })
  url: string | null;

  @Field(() => String, { nullable: true })
  rule: string | null;

  @Field(() => Int)
  documents: number;
}

@ArgsType()
export class SourceAccountsArgs extends PageArgs {
  @Field(() => ID)
  @IsUUID()
  connectionId: string;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'True: only accounts that belong to a member or were marked as belonging to none. False: only the others.',
  })
  @IsOptional()
  @IsBoolean()
  isMatched?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Matches a part of the name, email address or id.' })
  @IsOptional()
  @Length(1, 200)
  search?: string | null;
}

@InputType()
export class AssignSourceAccountInput {
  @Field(() => ID)
  @IsUUID()
  connectionId: string;

  @Field(() => ID)
  @IsUUID()
  accountId: string;

  @Field(() => ID, { nullable: true, description: 'Null: the account belongs to no member.' })
  @IsOptional()
  @IsUUID()
  memberId?: string | null;
}

@InputType()
export class ResetSourceAccountInput {
  @Field(() => ID)
  @IsUUID()
  connectionId: string;

  @Field(() => ID)
  @IsUUID()
  accountId: string;
}
