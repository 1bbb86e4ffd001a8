import { Field, Float, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Paginated } from '../platform/graphql/connection.js';

const reportIntervals = { day: 'day', week: 'week' } as const;
registerEnumType(reportIntervals, { name: 'ReportInterval', description: 'UTC days, or weeks from Monday.' });

const reportedDecisions = { approve: 'approve', deny: 'deny' } as const;
registerEnumType(reportedDecisions, { name: 'ReportedDecision' });

const reportedEffects = { permit: 'permit', forbid: 'forbid' } as const;
registerEnumType(reportedEffects, { name: 'ReportedPolicyEffect' });

@ObjectType({ isAbstract: true })
abstract class DecisionTimesObject {
  @Field(() => Int, { description: 'Approvals in the range.' })
  approved: number;

  @Field(() => Int, { description: 'Denials in the range.' })
  denied: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Median time from the opening of the step to the decision, in seconds. Null: no decisions.',
  })
  medianSeconds: number | null;
}

@ObjectType({ description: 'How long the decisions on an approval step took. A quorum counts from its last vote.' })
export class StepDecisionTimes extends DecisionTimesObject {
  @Field({ description: 'The name of the approval step.' })
  stepName: string;

  @Field(() => Float, { nullable: true, description: '90 % of the decisions took at most this long, in seconds.' })
  p90Seconds: number | null;

  @Field(() => Int, { description: 'Steps that expired in the range without a decision.' })
  expired: number;

  @Field(() => Int, { description: 'Steps that are open for decisions now, whatever the range is.' })
  open: number;

  @Field(() => Float, { nullable: true, description: 'How long the oldest of the open steps has waited, in seconds.' })
  oldestOpenSeconds: number | null;
}

@ObjectType({ description: 'How long the decisions of a member took, each vote of a quorum included.' })
export class ApproverDecisionTimes extends DecisionTimesObject {
  @Field(() => ID)
  memberId: string;

  @Field(() => String, { nullable: true, description: 'Null if the member was erased.' })
  memberName: string | null;

  @Field(() => Float, { nullable: true, description: '90 % of the decisions took at most this long, in seconds.' })
  p90Seconds: number | null;

  @Field(() => Int, { description: 'Decisions in the range without a recorded view of the arguments.' })
  unviewed: number;

  @Field(() => Int, { description: 'Open steps that name the member as an approver now, and wait for their decision.' })
  open: number;
}

@ObjectType({ description: 'Decisions that closed a step, in one day or week. Periods without decisions are omitted.' })
export class DecisionPeriod extends DecisionTimesObject {
  @Field({ description: 'Its first UTC day, such as 2026-11-20.' })
  from: string;
}

@ObjectType({
  description:
    'A decision in the console of a member who had not viewed the arguments there before. In Slack, the message shows all arguments.',
})
export class UnviewedDecision {
  @Field(() => ID)
  approvalId: string;

  @Field(() => ID)
  configurationId: string;

  @Field(() => String, { nullable: true, description: 'Null if the configuration was removed.' })
  configurationName: string | null;

  @Field()
  tool: string;

  @Field()
  stepName: string;

  @Field(() => reportedDecisions)
  decision: string;

  @Field(() => GraphQLISODateTime)
  decidedAt: Date;

  @Field(() => ID)
  memberId: string;

  @Field(() => String, { nullable: true, description: 'Null if the member was erased.' })
  memberName: string | null;
}

@ObjectType()
export class UnviewedDecisionConnection extends Paginated(UnviewedDecision) {}

@ObjectType({ description: 'A policy of a live revision that took part in no decision.' })
export class UnmatchedPolicyRule {
  @Field(() => ID)
  configurationId: string;

  @Field()
  configurationName: string;

  @Field({ description: 'The @id of the policy, or "policy 3" for the third one of the text.' })
  policyId: string;

  @Field(() => reportedEffects)
  effect: string;

  @Field(() => String, { nullable: true, description: 'The approval step that it requires.' })
  step: string | null;

  @Field(() => Int, { description: 'The live revision.' })
  revision: number;

  @Field(() => GraphQLISODateTime, {
    description:
      'Since then, the policy is part of every revision without a change: earlier decisions do not count. Considers the last 20 revisions.',
  })
  unchangedSince: Date;
}

@ObjectType({ description: 'Policies of live revisions that took part in no decision, by configuration.' })
export class UnmatchedPolicyRules {
  @Field(() => Int, { description: 'How many policies the live revisions have.' })
  policyCount: number;

  @Field(() => Int, { description: 'How many of them took part in no decision.' })
  totalCount: number;

  @Field(() => [UnmatchedPolicyRule], { description: 'At most 500.' })
  nodes: UnmatchedPolicyRule[];
}

@ObjectType({ description: 'A tool that a configuration offers, and of which no call was sent.' })
export class UnusedTool {
  @Field(() => ID)
  configurationId: string;

  @Field()
  configurationName: string;

  @Field(() => ID, { nullable: true, description: 'Null: a built-in tool.' })
  connectionId: string | null;

  @Field({ description: 'The slug of the connection, or the prefix of the built-in tools.' })
  connectionSlug: string;

  @Field()
  tool: string;

  @Field({ description: 'The confirmed effect: read, write or destructive.' })
  effect: string;

  @Field(() => Int, { description: 'Calls that were requested and not sent: denied, expired or pending.' })
  requests: number;
}

@ObjectType({ description: 'Offered tools of which no call was sent, by configuration and connection.' })
export class UnusedTools {
  @Field(() => Int, {
    description: 'How many tools the configurations offer. A tool of two configurations counts twice.',
  })
  toolCount: number;

  @Field(() => Int, { description: 'How many of them were not used.' })
  totalCount: number;

  @Field(() => [UnusedTool], { description: 'At most 500.' })
  nodes: UnusedTool[];
}

@ObjectType({
  description:
    'How approvals are decided, and which policies and tools are not needed, in a range of UTC days. Fields load only when they are selected.',
})
export class GovernanceReport {
  @Field({ description: 'The first day.' })
  from: string;

  @Field({ description: 'The last day.' })
  to: string;

  @Field(() => reportIntervals, { description: 'The length of the periods: weeks in ranges of more than 62 days.' })
  interval: 'day' | 'week';

  @Field(() => GraphQLISODateTime, {
    description:
      'The start of what "unmatchedPolicyRules" and "unusedTools" consider. Later than "from" if older calls may have been removed from the ledger (TASK_RETENTION_DAYS).',
  })
  ledgerSince: Date;
}
