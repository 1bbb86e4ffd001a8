import { ArgsType, Field, ID, InputType } from '@nestjs/graphql';
import { IsBoolean, IsEmail, IsOptional, IsUUID, Length } from 'class-validator';
import { PageArgs } from '../../platform/graphql/connection.js';
import { IsText } from '../../platform/graphql/is-text.decorator.js';
import { basedOnField } from '../../platform/graphql/version.js';

const emailMessage = { message: 'is no e-mail address' };
const emailOptions = { allow_utf8_local_part: true, require_tld: false };

@ArgsType()
export class SpendPeopleArgs extends PageArgs {
  @Field(() => String, { nullable: true, description: 'A part of the name or of one of the addresses.' })
  @IsOptional()
  @IsText(120)
  search?: string | null;

  @Field(() => ID, { nullable: true, description: 'Of this group or cost centre.' })
  @IsOptional()
  @IsUUID()
  unitId?: string | null;

  @Field({ defaultValue: false, description: 'Those who are gone, instead of those who are there.' })
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

  @Field(() => String, { nullable: true, description: 'Service accounts may have none.' })
  @IsOptional()
  @IsEmail(emailOptions, emailMessage)
  @Length(3, 254)
  email?: string | null;

  @Field({ defaultValue: false, description: 'Nobody in person: a robot whose costs are somebody’s.' })
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

@InputType({ description: 'What is left out stays as it is; null takes a group or cost centre away.' })
export class UpdateSpendPersonInput extends SpendPersonInput {
  @Field(() => String, { nullable: true })
  @IsOptional()
  @IsText(120)
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'The former address stays theirs, among the others.' })
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
  @Field({ description: 'Another address of the same person.' })
  @IsEmail(emailOptions, emailMessage)
  @Length(3, 254)
  email: string;
}

@InputType()
export class MergeSpendPeopleInput {
  @Field(() => ID, { description: 'Who is no more, afterwards.' })
  @IsUUID()
  fromId: string;

  @Field(() => ID, { description: 'Who stays, with the name, and with everything that was the other’s.' })
  @IsUUID()
  intoId: string;
}
