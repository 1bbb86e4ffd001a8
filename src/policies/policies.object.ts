import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { effects } from '../connections/tool.entity.js';
import type { ArgumentShape, Shape } from './argument-shape.js';
import type { PolicyTextCheck, PolicyTextFinding, Vocabulary } from './check.js';
import { PolicyDraft } from './policy-draft.entity.js';
import { PolicyRevision } from './policy-revision.entity.js';
import { PolicyRule } from './policy-rule.object.js';
import type { PolicyTemplateText } from './policy-templates.js';

/* GraphQL types that are not entities. */

@ObjectType({ description: 'The policies of a configuration.' })
export class ConfigurationPolicy {
  @Field(() => PolicyRevision, { nullable: true, description: 'The revision in effect.' })
  current: PolicyRevision | null;

  @Field(() => PolicyDraft, { nullable: true })
  draft: PolicyDraft | null;
}

@ObjectType({ description: 'A policy text for a usual case, valid for the tools of every configuration.' })
export class PolicyTemplate implements PolicyTemplateText {
  @Field(() => ID)
  id: string;

  @Field()
  name: string;

  @Field()
  description: string;

  @Field({ description: 'Cedar policies.' })
  text: string;
}

@ObjectType({ description: 'An error or warning in a policy text, with its position. Lines and columns count from 1.' })
export class PolicyFinding implements PolicyTextFinding {
  @Field()
  message: string;

  @Field(() => String, { nullable: true })
  help?: string;

  @Field(() => Int)
  line: number;

  @Field(() => Int, { description: 'In UTF-16 units, as in editors.' })
  column: number;

  @Field(() => Int)
  length: number;
}

@ObjectType({ description: 'One policy of a text. Offsets count UTF-16 units, as in JavaScript.' })
export class PolicyStatement {
  @Field({ description: 'Its @id, or "policy <n>".' })
  id: string;

  @Field(() => Int)
  start: number;

  @Field(() => Int, { description: 'Exclusive.' })
  end: number;

  @Field(() => PolicyRule, { nullable: true, description: 'Null if a form cannot show all of the policy.' })
  rule: PolicyRule | null;
}

@ObjectType()
export class PolicyCheck implements PolicyTextCheck {
  @Field(() => [PolicyFinding], { description: 'A text with errors cannot be published.' })
  errors: PolicyFinding[];

  @Field(() => [PolicyFinding])
  warnings: PolicyFinding[];

  @Field(() => [PolicyStatement], { description: 'In the order of the text. Empty while Cedar cannot parse it.' })
  statements: PolicyStatement[];
}

@ObjectType({ description: 'An argument that conditions can use, as context.arguments.<path>.' })
export class PolicyAttribute {
  @Field()
  path: string;

  @Field({ description: 'The Cedar type.' })
  type: string;

  @Field({ description: 'Whether the argument is always present. If not, a condition must test it with "has" first.' })
  required: boolean;

  @Field(() => [String], { nullable: true, description: 'The only values that it can have.' })
  values?: string[];
}

@ObjectType({ description: 'An argument that is not usable in conditions.' })
export class UnusableArgument {
  @Field()
  path: string;

  @Field()
  reason: string;
}

@ObjectType({
  description: 'A tool as policies see it: Action::"<name>" in Action::"<effect>", on Connection::"<connection>".',
})
export class PolicyTool {
  @Field()
  name: string;

  @Field(() => effects)
  effect: string;

  @Field()
  connection: string;

  @Field(() => [PolicyAttribute])
  attributes: PolicyAttribute[];

  @Field(() => [UnusableArgument])
  unusable: UnusableArgument[];
}

@ObjectType({ description: 'A group as policies see it: Group::"<id>".' })
export class PolicyGroup {
  @Field(() => ID)
  id: string;

  @Field()
  name: string;
}

@ObjectType({ description: 'The names that the policies of a configuration can use.' })
export class PolicyVocabulary {
  @Field(() => [PolicyTool])
  tools: PolicyTool[];

  @Field(() => [String])
  connections: string[];

  @Field(() => [PolicyGroup])
  groups: PolicyGroup[];

  @Field(() => [ID])
  agents: string[];

  @Field(() => [String], { description: 'The names of the approval steps.' })
  steps: string[];
}

export const toPolicyVocabulary = ({ tools, ...rest }: Vocabulary): PolicyVocabulary => ({
  ...rest,
  tools: tools.map(({ shape, ...tool }) => ({ ...tool, attributes: attributes(shape), unusable: unusable(shape) })),
});

const unusable = (shape: ArgumentShape) => shape.unusable.map(({ path, reason }) => ({ path: path.join('.'), reason }));

const attributes = ({ record }: ArgumentShape, at: string[] = []): PolicyAttribute[] =>
  [...record.attributes].flatMap(([name, { shape, required }]) => {
    const path = [...at, name];
    const inner = shape.kind === 'record' ? attributes({ record: shape, unusable: [] }, path) : [];
    return [
      {
        path: path.join('.'),
        type: cedarTypeName(shape),
        required,
        values: shape.kind === 'string' ? shape.values : undefined,
      },
      ...inner,
    ];
  });

function cedarTypeName(shape: Shape): string {
  if (shape.kind === 'set') return `Set<${cedarTypeName(shape.element)}>`;
  return { long: 'Long', decimal: 'decimal', boolean: 'Bool', string: 'String', record: 'Record' }[shape.kind];
}
