import { Field, Float, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { identityKinds as kinds, type IdentityKind } from '../../usage-row.js';
import { SpendPerson } from '../person.entity.js';

const asEnum = <T extends string>(values: readonly T[]) =>
  Object.fromEntries(values.map((value) => [value, value])) as Record<T, T>;

const IdentityKindEnum = asEnum(kinds);
registerEnumType(IdentityKindEnum, {
  name: 'SpendIdentityKind',
  description: 'By what a vendor names somebody.',
  valuesMap: {
    unattributed: { description: 'What the vendor counts without saying whose it was.' },
  },
});

const MatchRuleEnum = asEnum(['email', 'alias', 'vendor_id', 'person'] as const);
registerEnumType(MatchRuleEnum, {
  name: 'SpendMatchRule',
  description: 'How it was found out whose an identity is.',
  valuesMap: {
    email: { description: 'By their own address.' },
    alias: { description: 'By another address, a login or a number that is known as theirs.' },
    vendor_id: { description: 'By the vendor’s number: the same user under another address.' },
    person: { description: 'An administrator said so.' },
  },
});

const SimilarityReasonEnum = asEnum([
  'plus_tag',
  'same_mailbox',
  'same_name',
  'name_in_mailbox',
  'similar_name',
] as const);
export type SimilarityReason = keyof typeof SimilarityReasonEnum;
registerEnumType(SimilarityReasonEnum, {
  name: 'SpendMatchReason',
  description: 'Why an identity may be somebody’s.',
  valuesMap: {
    plus_tag: { description: 'The same address but for what stands behind a plus sign.' },
    same_mailbox: { description: 'The same name before the @, elsewhere.' },
    same_name: { description: 'The same name, in whatever order.' },
    name_in_mailbox: { description: 'The address is made from the name.' },
    similar_name: { description: 'Nearly the same name.' },
  },
});

export const identityStates = asEnum(['unmatched', 'matched', 'ignored'] as const);
export type IdentityState = keyof typeof identityStates;
registerEnumType(identityStates, {
  name: 'SpendIdentityState',
  valuesMap: {
    unmatched: { description: 'Nobody’s yet: its usage counts in the totals, and in no group.' },
    ignored: { description: 'An administrator said that it is to be nobody’s.' },
  },
});

@ObjectType({ description: 'Somebody who may be whom the vendor names. Nothing is matched by likeness alone.' })
export class SpendSuggestion {
  @Field(() => SpendPerson)
  person: SpendPerson;

  @Field(() => SimilarityReasonEnum)
  reason: SimilarityReason;

  @Field(() => Float, { description: 'From 0 to 1; to sort by.' })
  score: number;
}

@ObjectType({
  description:
    'Whom one connection’s vendor names. It is never forgotten; whose it is decides whose its whole history is.',
})
export class SpendIdentity {
  @Field(() => Int)
  id: number;

  @Field(() => ID)
  connectionId: string;

  @Field(() => IdentityKindEnum)
  kind: IdentityKind;

  @Field({ description: 'The address, login or number, in one spelling.' })
  key: string;

  @Field(() => String, { nullable: true, description: 'As the vendor calls them.' })
  name: string | null;

  @Field(() => String, { nullable: true })
  email: string | null;

  @Field(() => String, { nullable: true })
  vendorRole: string | null;

  @Field(() => SpendPerson, { nullable: true })
  person: SpendPerson | null;

  @Field(() => MatchRuleEnum, { nullable: true })
  matchedBy: keyof typeof MatchRuleEnum | null;

  @Field()
  isIgnored: boolean;

  @Field({ description: 'Has a seat at the vendor now.' })
  hasSeat: boolean;

  @Field(() => GraphQLISODateTime)
  firstSeen: Date;

  @Field(() => [SpendSuggestion], { description: 'Who it may be, the likeliest first; of unmatched ones only.' })
  suggestions: SpendSuggestion[];
}
