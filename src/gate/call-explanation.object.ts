import { ArgsType, Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { IsBoolean, IsIn, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { ApprovalCandidate } from '../approvals/approval-candidate.entity.js';
import { ApprovalStep } from '../approvals/approval-step.entity.js';
import type { DecidingPolicy } from '../policies/policy-explanation.service.js';
import { PolicyOutcome } from '../policies/replay-decisions.service.js';

const callerKinds = { member: 'member', agent: 'agent' } as const;
type CallerKind = keyof typeof callerKinds;
registerEnumType(callerKinds, { name: 'CallerKind' });

const callSurfaces = { a2a: 'a2a', mcp: 'mcp', api: 'api', cli: 'cli', console: 'console' } as const;
registerEnumType(callSurfaces, { name: 'CallSurface' });

const policyEffects = { permit: 'permit', forbid: 'forbid' } as const;
registerEnumType(policyEffects, { name: 'PolicyEffect' });

@ArgsType()
export class ExplainCallArgs {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;

  @Field(() => callerKinds)
  @IsIn(Object.keys(callerKinds))
  callerKind: CallerKind;

  @Field(() => ID, { description: 'The id of a member, or of an agent of the configuration.' })
  @IsUUID()
  callerId: string;

  @Field({ description: 'The name of a tool.' })
  @IsString()
  @MaxLength(200)
  tool: string;

  @Field({ description: 'A JSON object, as text. It is read like the arguments of a call.' })
  @IsString()
  arguments: string;

  @Field(() => callSurfaces, { nullable: true, description: 'Default: a2a for an agent, mcp for a member.' })
  @IsOptional()
  @IsIn(Object.keys(callSurfaces))
  surface?: keyof typeof callSurfaces | null;

  @Field({ defaultValue: false, description: 'Whether the task has read external text.' })
  @IsBoolean()
  tainted: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Cedar policies to decide by, such as a draft. Default: the published revision.',
  })
  @IsOptional()
  @IsString()
  text?: string | null;
}

@ObjectType({ description: 'A policy that decides on a call.' })
export class ExplainedPolicy implements DecidingPolicy {
  @Field({ description: 'Its @id, or "policy <n>".' })
  id: string;

  @Field(() => policyEffects)
  effect: 'permit' | 'forbid';

  @Field(() => String, { nullable: true, description: 'The approval step that it requires.' })
  step: string | null;

  @Field({ description: 'The policy in Cedar.' })
  text: string;
}

@ObjectType({ description: 'An approval step that a call requires, and who could decide.' })
export class ExplainedStep {
  @Field()
  name: string;

  @Field(() => ApprovalStep, { nullable: true, description: 'Null if no such step exists.' })
  step: ApprovalStep | null;

  @Field({ description: 'Whether enough members could decide. If not, the call is denied at once.' })
  isReachable: boolean;

  @Field(() => [ApprovalCandidate], { description: 'Members named by the step. Eligible members come first.' })
  candidates: ApprovalCandidate[];
}

@ObjectType()
export class ArgumentFault {
  @Field({ description: 'A JSON pointer into the arguments.' })
  pointer: string;

  @Field()
  detail: string;
}

@ObjectType({ description: 'What the gate would decide on a call, and why.' })
export class CallExplanation extends PolicyOutcome {
  @Field(() => String, {
    nullable: true,
    description: 'The code of the refusal in the answer of the gate to the caller. Null: the policies decide.',
  })
  code: string | null;

  @Field({ description: 'The reason, which the gate conceals from a caller who cannot see the tool.' })
  reason: string;

  @Field(() => [ArgumentFault], { description: 'The errors in the arguments.' })
  faults: ArgumentFault[];

  @Field({ description: 'The policies deny the tool for any arguments, so the caller cannot see it.' })
  isHidden: boolean;

  @Field(() => Int, {
    nullable: true,
    description: 'The published revision that decides; 0: none. Null: the given text, or the gate refuses the call.',
  })
  revision: number | null;

  @Field(() => [ExplainedPolicy], {
    description: 'The policies that determine the verdict. Empty if no policy permits the call.',
  })
  policies: ExplainedPolicy[];

  @Field(() => [ExplainedStep], { description: 'The required approval steps.' })
  approvalSteps: ExplainedStep[];
}
