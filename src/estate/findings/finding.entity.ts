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
    critical: { description: 'Fix today.' },
    high: { description: 'Fix this week.' },
    medium: { description: 'Fix with the next change.' },
    low: { description: 'Good to know.' },
    info: { description: 'Cleanup.' },
  },
});

export const FindingRuleEnum = asEnum(ruleIds);
registerEnumType(FindingRuleEnum, {
  name: 'EstateFindingRule',
  description: 'The rules of findings; "estateRules" explains each of them.',
});

export const FindingStateEnum = asEnum(['open', 'dismissed', 'resolved'] as const);
export type FindingState = keyof typeof FindingStateEnum;
registerEnumType(FindingStateEnum, {
  name: 'EstateFindingState',
  valuesMap: {
    open: { description: 'The issue exists.' },
    dismissed: { description: 'The issue exists, and a member accepted it with a reason.' },
    resolved: { description: 'The issue no longer exists.' },
  },
});

@ObjectType({ description: 'An issue in the configuration of AI clients.' })
export class EstateFinding {
  @Field(() => ID)
  id: string;

  @Field(() => FindingRuleEnum)
  rule: RuleId;

  @Field(() => SeverityEnum)
  severity: Severity;

  @Field(() => FindingStateEnum)
  state: FindingState;

  @Field({ description: 'What was found, and why it is an issue.' })
  reason: string;

  @Field(() => JsonScalar, { description: 'Facts to verify the finding. Never contains the value of a secret.' })
  evidence: Json;

  @Field({ description: 'What the owner of the file can do about it.' })
  fix: string;

  @Field(() => ID, { nullable: true, description: 'The file that contains the issue.' })
  fileId: string | null;

  @Field(() => String, { nullable: true, description: 'The path of that file.' })
  path: string | null;

  @Field(() => ID, { nullable: true, description: 'The entry of the file.' })
  entryId: string | null;

  @Field(() => ID, { nullable: true, description: 'The affected server.' })
  serverId: string | null;

  @Field(() => String, { nullable: true, description: 'The name of that server in the file.' })
  serverName: string | null;

  @Field(() => ID, { nullable: true, description: 'The integration that lists it.' })
  connectionId: string | null;

  @Field(() => GraphQLISODateTime)
  firstSeen: Date;

  @Field(() => GraphQLISODateTime, {
    description: 'When it was last seen. For a resolved finding: the latest time at which it may have existed.',
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

@ObjectType({ description: 'A rule that produces findings.' })
export class EstateRule {
  @Field(() => FindingRuleEnum)
  id: RuleId;

  @Field()
  title: string;

  @Field({ description: 'Why it matters.' })
  why: string;
}

@ObjectType({ description: 'The number of findings per rule and severity.' })
export class EstateFindingCount {
  @Field(() => FindingRuleEnum)
  rule: RuleId;

  @Field(() => SeverityEnum)
  severity: Severity;

  @Field(() => Int)
  open: number;

  @Field(() => Int)
  dismissed: number;

  @Field(() => Int, { description: 'The number of files with open findings.' })
  files: number;

  @Field(() => Int, { description: 'The number of servers with open findings.' })
  servers: number;
}
