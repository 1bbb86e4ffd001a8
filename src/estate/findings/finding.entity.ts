import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { JsonScalar } from '../../platform/graphql/json.scalar.js';
import type { JsonObject as Json } from '../../platform/json/strict-json.js';
import { ruleIds, type RuleId, severities as allSeverities, type Severity } from './rule.js';

const asEnum = <T extends string>(values: readonly T[]) =>
  Object.fromEntries(values.map((value) => [value, value])) as Record<T, T>;

export const SeverityEnum = asEnum(allSeverities);
registerEnumType(SeverityEnum, {
  name: 'EstateSeverity',
  valuesMap: {
    critical: { description: 'Today.' },
    high: { description: 'This week.' },
    medium: { description: 'When it is next worked on.' },
    low: { description: 'Worth knowing.' },
    info: { description: 'Tidying up.' },
  },
});

export const FindingRuleEnum = asEnum(ruleIds);
registerEnumType(FindingRuleEnum, {
  name: 'EstateFindingRule',
  description: 'What was looked for; "estateRules" explains each.',
});

export const FindingStateEnum = asEnum(['open', 'dismissed', 'resolved'] as const);
export type FindingState = keyof typeof FindingStateEnum;
registerEnumType(FindingStateEnum, {
  name: 'EstateFindingState',
  valuesMap: {
    open: { description: 'It is there.' },
    dismissed: { description: 'It is there, and somebody said why that is all right.' },
    resolved: { description: 'It is not there any more.' },
  },
});

@ObjectType({ description: 'Something about how AI clients are configured that somebody should look at.' })
export class EstateFinding {
  @Field(() => ID)
  id: string;

  @Field(() => FindingRuleEnum)
  rule: RuleId;

  @Field(() => SeverityEnum)
  severity: Severity;

  @Field(() => FindingStateEnum)
  state: FindingState;

  @Field({ description: 'What there is, and what is wrong with it.' })
  reason: string;

  @Field(() => JsonScalar, { description: 'By what it can be checked. Never the value of a secret.' })
  evidence: Json;

  @Field({ description: 'What to do about it, for whoever owns the file.' })
  fix: string;

  @Field(() => ID, { nullable: true, description: 'The file that it is in.' })
  fileId: string | null;

  @Field(() => String, { nullable: true, description: 'The path of that file.' })
  path: string | null;

  @Field(() => ID, { nullable: true, description: 'The entry of the file.' })
  entryId: string | null;

  @Field(() => ID, { nullable: true, description: 'The server that it is about.' })
  serverId: string | null;

  @Field(() => String, { nullable: true, description: 'What that server is called there.' })
  serverName: string | null;

  @Field(() => ID, { nullable: true, description: 'The integration that it stands with.' })
  connectionId: string | null;

  @Field(() => GraphQLISODateTime)
  firstSeen: Date;

  @Field(() => GraphQLISODateTime, {
    description: 'When it was last seen to be there; of a resolved one, until when it may have been.',
  })
  lastSeen: Date;

  @Field(() => GraphQLISODateTime, { nullable: true })
  resolvedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  dismissedAt: Date | null;

  @Field(() => ID, { nullable: true, description: 'The member who dismissed it.' })
  dismissedBy: string | null;

  @Field(() => String, { nullable: true, description: 'The name of that member.' })
  dismissedByName: string | null;

  @Field(() => String, { nullable: true })
  dismissedReason: string | null;
}

@ObjectType({ description: 'A kind of finding.' })
export class EstateRule {
  @Field(() => FindingRuleEnum)
  id: RuleId;

  @Field()
  title: string;

  @Field({ description: 'Why anybody should care.' })
  why: string;
}

@ObjectType({ description: 'How much there is of a kind and severity.' })
export class EstateFindingCount {
  @Field(() => FindingRuleEnum)
  rule: RuleId;

  @Field(() => SeverityEnum)
  severity: Severity;

  @Field(() => Int)
  open: number;

  @Field(() => Int)
  dismissed: number;

  @Field(() => Int, { description: 'In how many files the open ones are.' })
  files: number;

  @Field(() => Int, { description: 'Of how many servers the open ones are.' })
  servers: number;
}
