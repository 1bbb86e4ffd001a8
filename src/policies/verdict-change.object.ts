import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import { PolicyPrincipal } from './policy-rule.object.js';
import type { SampleCall } from './sample-calls.js';
import type { Outcome, VerdictChange } from './verdict-changes.js';

const decisionVerdicts = { allow: 'allow', approval: 'approval', deny: 'deny' } as const;
registerEnumType(decisionVerdicts, { name: 'PolicyDecisionVerdict' });

@ObjectType({ description: 'What the policies decide on a call.' })
export class PolicyOutcome implements Outcome {
  @Field(() => decisionVerdicts)
  verdict: Outcome['verdict'];

  @Field(() => [String], { description: 'The approval steps that are required.' })
  steps: string[];
}

@ObjectType({ description: 'A call that the policies were compared with.' })
export class PolicySampleCall implements SampleCall {
  @Field(() => JsonScalar, { description: 'Only the arguments that the policies use.' })
  args: SampleCall['args'];

  @Field()
  surface: string;

  @Field({ description: 'Whether the task read external content.' })
  tainted: boolean;
}

@ObjectType({ description: 'A tool whose verdict differs between two policy texts.' })
export class PolicyVerdictChange implements VerdictChange {
  @Field(() => ID, { description: 'The name of the tool.' })
  tool: string;

  @Field(() => [PolicyPrincipal], { description: 'The callers for whom the verdict changes.' })
  who: PolicyPrincipal[];

  @Field(() => PolicyOutcome)
  before: PolicyOutcome;

  @Field(() => PolicyOutcome)
  after: PolicyOutcome;

  @Field(() => PolicySampleCall, {
    nullable: true,
    description: 'One of the calls that change. Null: all calls of the tool by these callers change.',
  })
  example: PolicySampleCall | null;
}
