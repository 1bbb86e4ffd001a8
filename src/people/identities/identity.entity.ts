import { Field, Float, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { identityKinds as kinds, type IdentityKind } from '../vendor-identity.port.js';
import { SpendPerson } from '../person.entity.js';

const asEnum = <T extends string>(values: readonly T[]) =>
  Object.fromEntries(values.map((value) => [value, value])) as Record<T, T>;

const IdentityKindEnum = asEnum(kinds);
registerEnumType(IdentityKindEnum, {
  name: 'SpendIdentityKind',
  description: 'What kind of identifier a vendor uses.',
  valuesMap: {
    unattributed: { description: 'Usage that the vendor attributes to nobody.' },
  },
});

const MatchRuleEnum = asEnum(['email', 'alias', 'vendor_id', 'person'] as const);
registerEnumType(MatchRuleEnum, {
  name: 'SpendMatchRule',
  description: 'How an identity was matched to a person.',
  valuesMap: {
    email: { description: 'By the person’s email address.' },
    alias: { description: 'By an alias of the person: another email address, a login or a vendor user id.' },
    vendor_id: { description: 'By the vendor’s user id: the same user with another email address.' },
    person: { description: 'By an administrator.' },
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
  description: 'Why an identity may belong to a person.',
  valuesMap: {
    plus_tag: { description: 'The same email address except for the plus tag.' },
    same_mailbox: { description: 'The same part before the @, at another domain.' },
    same_name: { description: 'The same name, in any word order.' },
    name_in_mailbox: { description: 'The email address is derived from the name.' },
    similar_name: { description: 'A similar name.' },
  },
});

export const identityStates = asEnum(['unmatched', 'matched', 'ignored'] as const);
export type IdentityState = keyof typeof identityStates;
registerEnumType(identityStates, {
  name: 'SpendIdentityState',
  valuesMap: {
    unmatched: { description: 'Not matched to a person. Its usage counts in totals but in no group.' },
    ignored: { description: 'Excluded from matching by an administrator.' },
  },
});

@ObjectType({
  description: 'A person whom an identity may belong to. Similarity alone never matches an identity automatically.',
})
export class SpendSuggestion {
  @Field(() => SpendPerson)
  person: SpendPerson;

  @Field(() => SimilarityReasonEnum)
  reason: SimilarityReason;

  @Field(() => Float, { description: 'From 0 to 1, for sorting.' })
  score: number;
}

@ObjectType({
  description:
    'A user as the vendor of one connection identifies them. Identities are never deleted. The whole history of an identity belongs to its current person.',
})
export class SpendIdentity {
  @Field(() => Int)
  id: number;

  @Field(() => ID)
  connectionId: string;

  @Field(() => IdentityKindEnum)
  kind: IdentityKind;

  @Field({ description: 'Normalized email address, login or vendor user id.' })
  key: string;

  @Field(() => String, { nullable: true, description: 'The vendor’s name for the user.' })
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

  @Field({ description: 'Whether the user currently has a seat at the vendor.' })
  hasSeat: boolean;

  @Field(() => GraphQLISODateTime)
  firstSeen: Date;

  @Field(() => [SpendSuggestion], { description: 'Possible people, most likely first. Only for unmatched identities.' })
  suggestions: SpendSuggestion[];
}
