import { Field, ID, InputType, Int } from '@nestjs/graphql';
import { IsIn, IsInt, IsObject, IsOptional, IsUUID, Length, Matches } from 'class-validator';
import { IsText } from '../platform/graphql/is-text.decorator.js';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import type { SecretChanges, Settings } from './settings.js';
import { effects, type Effect } from './tool.entity.js';

/** Ends in no "_", or "a_" + "__x" and "a" + "___x" would be one name. */
const slugForm = /^(?!.*__)(?!.*_$)[a-z][a-z0-9_-]{0,23}$/;

@InputType()
export class CreateConnectionInput {
  @Field({ description: 'Id of a kind of the catalogue.' })
  @Length(1, 40)
  kind: string;

  @Field()
  @IsText(80)
  name: string;

  @Field({
    description: 'Begins the names of its tools: a-z, 0-9, "-" and single "_" inside, at most 24. Never changes.',
  })
  @Matches(slugForm, {
    message: 'begins with a letter and holds only a-z, 0-9, "-" and, not at its end, single "_", at most 24 characters',
  })
  slug: string;

  @Field(() => JsonScalar, { description: 'A value for each field of the kind that is no credential.' })
  @IsObject()
  settings: Settings;

  @Field(() => JsonScalar, { nullable: true, description: 'A text for each credential of the kind.' })
  @IsOptional()
  @IsObject()
  secrets?: SecretChanges | null;
}

@InputType()
export class UpdateConnectionInput {
  @Field(() => ID)
  @IsUUID()
  id: string;

  @Field(() => Int, { description: 'The revision that the change was made on.' })
  @IsInt()
  revision: number;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @IsText(80)
  name?: string;

  @Field(() => JsonScalar, { nullable: true, description: 'Absent settings stay, null removes one.' })
  @IsOptional()
  @IsObject()
  settings?: Settings | null;

  @Field(() => JsonScalar, {
    nullable: true,
    description:
      'Absent credentials stay, null clears one. A new host, port, command or account clears all that are not entered again.',
  })
  @IsOptional()
  @IsObject()
  secrets?: SecretChanges | null;
}

@InputType()
export class ConnectionIdInput {
  @Field(() => ID)
  @IsUUID()
  id: string;
}

@InputType()
export class ToolIdInput {
  @Field(() => ID)
  @IsUUID()
  id: string;
}

@InputType()
export class ConfirmToolInput {
  @Field(() => ID)
  @IsUUID()
  id: string;

  @Field(() => effects)
  @IsIn(Object.values(effects))
  effect: Effect;

  @Field({ description: 'Of the definition that was read; refused when it is another one by now.' })
  @Matches(/^[0-9a-f]{64}$/, { message: 'is the hash of a definition' })
  definitionHash: string;
}
