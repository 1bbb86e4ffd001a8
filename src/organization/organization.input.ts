import { ArgsType, Field, InputType } from '@nestjs/graphql';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsBoolean, IsString, Length, Matches, MaxLength, ValidateNested } from 'class-validator';
import { maxDocuments } from './documents.js';

@ArgsType()
export class OrganizationDocumentsArgs {
  @Field({ defaultValue: false, description: 'Lists the members of groups, by email address.' })
  @IsBoolean()
  withMembers: boolean;
}

@InputType()
export class PlanOrganizationInput {
  @Field({ description: 'A JSON array of documents, as text.' })
  @IsString()
  documents: string;

  @Field({
    defaultValue: false,
    description: 'Deletes connections, groups, OAuth clients and budgets that have no document.',
  })
  @IsBoolean()
  prune: boolean;

  @Field({ defaultValue: false, description: 'Replaces stored credentials, too.' })
  @IsBoolean()
  replaceSecrets: boolean;
}

/** In a list instead of a map, because a connection can be named like a built-in property ("constructor"). */
@InputType()
export class SecretValueInput {
  @Field({ description: 'The name of the connection.' })
  @Length(1, 80)
  connection: string;

  @Field({ description: 'The name of the credential.' })
  @Length(1, 80)
  secret: string;

  @Field()
  @MaxLength(8192)
  value: string;
}

@InputType()
export class ApplyOrganizationInput extends PlanOrganizationInput {
  @Field({ description: 'The hash of the plan.' })
  @Matches(/^[0-9a-f]{64}$/)
  hash: string;

  @Field(() => [SecretValueInput], { defaultValue: [], description: 'The credentials that the plan lists.' })
  @ArrayMaxSize(maxDocuments)
  @Type(() => SecretValueInput)
  @ValidateNested({ each: true })
  secrets: SecretValueInput[];
}
