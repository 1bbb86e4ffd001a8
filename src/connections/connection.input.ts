import { ArgsType, Field, ID, InputType, Int } from '@nestjs/graphql';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsUUID,
  Length,
  Matches,
  ValidateNested,
} from 'class-validator';
import { PageArgs } from '../platform/graphql/connection.js';
import { IsText } from '../platform/graphql/is-text.decorator.js';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import { ResultRulesInput } from './result-rules.object.js';
import type { SecretChanges, Settings } from './settings.js';
import { effects, type Effect } from './tool.entity.js';

/** A trailing "_" would make the names "a_" + "__x" and "a" + "___x" equal. */
const slugForm = /^(?!.*__)(?!.*_$)[a-z][a-z0-9_-]{0,23}$/;

@ArgsType()
export class ConnectionsArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: 'Part of the name or of the tool prefix.' })
  @IsOptional()
  @IsText(120)
  search?: string | null;
}

@InputType()
export class CreateConnectionInput {
  @Field({ description: 'Id of a connector.' })
  @Length(1, 40)
  kind: string;

  @Field()
  @IsText(80)
  name: string;

  @Field({
    description:
      'Prefix of its tool names: a-z, 0-9, "-" and single "_" inside, at most 24 characters. Cannot be changed.',
  })
  @Matches(slugForm, {
    message:
      'must start with a letter and contain only a-z, 0-9, "-" and single "_" (not at the end), at most 24 characters',
  })
  slug: string;

  @Field(() => JsonScalar, { description: 'A value for each field of the connector that is not a credential.' })
  @IsObject()
  settings: Settings;

  @Field(() => JsonScalar, { nullable: true, description: 'A string for each credential of the connector.' })
  @IsOptional()
  @IsObject()
  secrets?: SecretChanges | null;
}

@InputType()
export class UpdateConnectionInput {
  @Field(() => ID)
  @IsUUID()
  id: string;

  @Field(() => Int, { description: 'The revision that the change is based on.' })
  @IsInt()
  revision: number;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @IsText(80)
  name?: string;

  @Field(() => JsonScalar, { nullable: true, description: 'Absent settings are unchanged; null removes one.' })
  @IsOptional()
  @IsObject()
  settings?: Settings | null;

  @Field(() => JsonScalar, {
    nullable: true,
    description:
      'Absent credentials are unchanged; null clears one. A new host, port, command or account clears all that are not entered again.',
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
export class SetResultRulesInput {
  @Field(() => ID)
  @IsUUID()
  id: string;

  @Field(() => ResultRulesInput, { nullable: true, description: 'Null: results are passed on unchanged.' })
  @IsOptional()
  @Type(() => ResultRulesInput)
  @ValidateNested()
  rules?: ResultRulesInput | null;
}

@InputType()
export class SetToolResultRulesInput {
  @Field(() => ID)
  @IsUUID()
  id: string;

  @Field(() => ResultRulesInput, { nullable: true, description: 'Null: the rules of the connection apply.' })
  @IsOptional()
  @Type(() => ResultRulesInput)
  @ValidateNested()
  rules?: ResultRulesInput | null;
}

@InputType()
export class ConfirmToolInput {
  @Field(() => ID)
  @IsUUID()
  id: string;

  @Field(() => effects)
  @IsIn(Object.values(effects))
  effect: Effect;

  @Field({
    description: 'Hash of the definition that was reviewed. The mutation fails if the definition has changed since.',
  })
  @Matches(/^[0-9a-f]{64}$/, { message: 'must be the hash of a definition' })
  definitionHash: string;
}

@InputType()
export class ConfirmToolsInput {
  @Field(() => [ConfirmToolInput], { description: 'Each tool once, at most 500.' })
  @ArrayMinSize(1)
  @ArrayMaxSize(500)
  @Type(() => ConfirmToolInput)
  @ValidateNested({ each: true })
  tools: ConfirmToolInput[];
}
