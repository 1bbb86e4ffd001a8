import { Field, ID, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsIn, IsOptional, IsString, IsUUID, Matches, MaxLength, ValidateNested } from 'class-validator';
import { storableText } from './policy.js';
import {
  type PolicyRuleForm,
  type RuleCondition,
  type RuleTest,
  ruleTests,
  type RuleVerdict,
  ruleVerdicts,
  type RuleWho,
  type ValueType,
  valueTypes,
  type WhoKind,
  whoKinds,
} from './rule.js';

/* Rules have the same shape in output and input. */

const enumOf = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, name])) as Record<Name, Name>;

const verdictNames = enumOf(ruleVerdicts);
const whoNames = enumOf(whoKinds);
const testNames = enumOf(ruleTests);
const typeNames = enumOf(valueTypes);
registerEnumType(verdictNames, { name: 'PolicyVerdict', description: 'permit, permit with @approval, or forbid.' });
registerEnumType(whoNames, { name: 'PolicyPrincipalKind' });
registerEnumType(testNames, {
  name: 'PolicyTest',
  description: '"like": * matches any text. "contains": for sets. "given": whether the argument is present.',
});
registerEnumType(typeNames, {
  name: 'PolicyValueType',
  description: 'The Cedar types Long, decimal, String and Bool.',
});

const maxRuleItems = 200;
const maxRuleTextLength = 2000;
const isStorable = { message: '$property has characters that cannot be stored' };

@ObjectType()
@InputType('PolicyPrincipalInput')
export class PolicyPrincipal implements RuleWho {
  @Field(() => whoNames)
  @IsIn(whoKinds)
  kind: WhoKind;

  @Field(() => ID, { nullable: true, description: 'The id of the group, member or agent.' })
  @IsOptional()
  @IsUUID()
  id: string | null;
}

@ObjectType()
@InputType('PolicyConditionInput')
export class PolicyCondition implements RuleCondition {
  @Field(() => [String], {
    description: 'A path in "context": for example ["arguments", "amount"], ["surface"] or ["tainted"].',
  })
  @ArrayMaxSize(20)
  @IsString({ each: true })
  @MaxLength(maxRuleTextLength, { each: true })
  @Matches(storableText, { ...isStorable, each: true })
  path: string[];

  @Field(() => testNames)
  @IsIn(ruleTests)
  test: RuleTest;

  @Field(() => typeNames)
  @IsIn(valueTypes)
  type: ValueType;

  @Field(() => [String], { description: 'Exactly one value; one or more for "one_of", none for "given".' })
  @ArrayMaxSize(maxRuleItems)
  @IsString({ each: true })
  @MaxLength(maxRuleTextLength, { each: true })
  @Matches(storableText, { ...isStorable, each: true })
  values: string[];
}

@ObjectType({ description: 'A policy in the form of a rule editor.' })
@InputType('PolicyRuleInput')
export class PolicyRule implements PolicyRuleForm {
  @Field({ description: 'The @id of the policy; empty if it has none.' })
  @IsString()
  @MaxLength(64)
  name: string;

  @Field(() => verdictNames)
  @IsIn(ruleVerdicts)
  verdict: RuleVerdict;

  @Field(() => String, { nullable: true, description: 'The approval step, for the verdict "approval".' })
  @IsOptional()
  @IsString()
  @MaxLength(100)
  step: string | null;

  @Field(() => PolicyPrincipal)
  @Type(() => PolicyPrincipal)
  @ValidateNested()
  who: PolicyPrincipal;

  @Field(() => [String], { description: 'Effects and tool names. Empty for all tools.' })
  @ArrayMaxSize(maxRuleItems)
  @IsString({ each: true })
  @MaxLength(200, { each: true })
  @Matches(storableText, { ...isStorable, each: true })
  actions: string[];

  @Field(() => String, {
    nullable: true,
    description: 'The slug of the only connection that the rule applies to; null for all.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(100)
  connection: string | null;

  @Field(() => [PolicyCondition], { description: 'The rule applies only if all conditions are met.' })
  @ArrayMaxSize(50)
  @Type(() => PolicyCondition)
  @ValidateNested({ each: true })
  conditions: PolicyCondition[];
}
