import { ArgsType, Field, ID, InputType, Int, PartialType } from '@nestjs/graphql';
import { ArrayMaxSize, IsBoolean, IsInt, IsOptional, IsString, IsUUID, Matches, MaxLength } from 'class-validator';
import { PageArgs } from '../platform/graphql/connection.js';
import { IsText } from '../platform/graphql/is-text.decorator.js';

const maxConfigurationParts = 200;

@ArgsType()
export class ConfigurationsArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: 'Part of the name.' })
  @IsOptional()
  @IsText(120)
  search?: string | null;
}

@InputType()
export class CreateConfigurationInput {
  @Field()
  @IsText(80)
  name: string;

  @Field({ defaultValue: '' })
  @IsString()
  @MaxLength(2000)
  @Matches(/^[^\0\p{Cs}]*$/u, { message: '$property has characters that cannot be stored' })
  description: string;

  @Field(() => [ID], { defaultValue: [] })
  @ArrayMaxSize(maxConfigurationParts)
  @IsUUID(undefined, { each: true })
  connectionIds: string[];

  @Field(() => [ID], {
    defaultValue: [],
    description:
      'Groups whose members may use it. Its agents read the documents that are shared with one of these groups.',
  })
  @ArrayMaxSize(maxConfigurationParts)
  @IsUUID(undefined, { each: true })
  groupIds: string[];

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  modelConnectionId?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Over MCP, names have no prefix "<connection>__". Requires exactly one connection. Changing this renames the tools for connected assistants.',
  })
  @IsOptional()
  @IsBoolean()
  unprefixed?: boolean;
}

@InputType({ description: 'Omitted fields stay unchanged.' })
export class UpdateConfigurationInput extends PartialType(CreateConfigurationInput, { omitDefaultValues: true }) {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'The revision that the change is based on. The change is rejected if the current revision is a different one.',
  })
  @IsOptional()
  @IsInt()
  revision?: number | null;
}

@InputType()
export class PauseConfigurationInput {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;
}
