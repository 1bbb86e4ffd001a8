import { ArgsType, Field, ID, InputType } from '@nestjs/graphql';
import { IsBoolean, IsEmail, IsOptional, IsUUID, Length } from 'class-validator';
import { PageArgs } from '../platform/graphql/connection.js';
import { IsText } from '../platform/graphql/is-text.decorator.js';
import { basedOnField } from '../platform/graphql/version.js';

const emailMessage = { message: 'is not an email address' };
const emailOptions = { allow_utf8_local_part: true, require_tld: false };

@ArgsType()
export class SpendPeopleArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: 'Part of the name or of an email address.' })
  @IsOptional()
  @IsText(120)
  search?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only people of this group or cost centre.' })
  @IsOptional()
  @IsUUID()
  unitId?: string | null;

  @Field({ defaultValue: false, description: 'Lists removed people instead of active ones.' })
  @IsBoolean()
  isRemoved: boolean;
}

@InputType()
export class SpendPersonInput {
  @Field(() => ID)
  @IsUUID()
  personId: string;
}

@InputType()
export class CreateSpendPersonInput {
  @Field()
  @IsText(120)
  name: string;

  @Field(() => String, { nullable: true, description: 'Optional only for service accounts.' })
  @IsOptional()
  @IsEmail(emailOptions, emailMessage)
  @Length(3, 254)
  email?: string | null;

  @Field({ defaultValue: false, description: 'A bot or other account that is not a person.' })
  @IsBoolean()
  isServiceAccount: boolean;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  groupId?: string | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  costCentreId?: string | null;
}

@InputType({ description: 'Omitted fields stay unchanged. Null removes a group or cost centre.' })
export class UpdateSpendPersonInput extends SpendPersonInput {
  @Field(() => String, { nullable: true })
  @IsOptional()
  @IsText(120)
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'The former email address stays as an alias.' })
  @IsOptional()
  @IsEmail(emailOptions, emailMessage)
  @Length(3, 254)
  email?: string | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  groupId?: string | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  costCentreId?: string | null;

  @Field(() => String, basedOnField)
  @IsOptional()
  @Length(1, 40)
  basedOn?: string | null;
}

@InputType()
export class SpendAliasInput extends SpendPersonInput {
  @Field({ description: 'An additional email address of the person.' })
  @IsEmail(emailOptions, emailMessage)
  @Length(3, 254)
  email: string;
}

@InputType()
export class MergeSpendPeopleInput {
  @Field(() => ID, { description: 'The person who is deleted after the merge.' })
  @IsUUID()
  fromId: string;

  @Field(() => ID, { description: 'The person who remains, keeps the name and takes over the other person’s data.' })
  @IsUUID()
  intoId: string;
}
