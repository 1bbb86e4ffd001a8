import { ArgsType, Field, InputType } from '@nestjs/graphql';
import { IsBoolean, IsObject, IsOptional, IsString, Matches } from 'class-validator';
import { JsonScalar } from '../platform/graphql/json.scalar.js';

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

@InputType()
export class ApplyOrganizationInput extends PlanOrganizationInput {
  @Field({ description: 'The hash of the plan.' })
  @Matches(/^[0-9a-f]{64}$/)
  hash: string;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'The credentials that the plan lists: {"<connection>": {"<name>": "<value>"}}.',
  })
  @IsOptional()
  @IsObject()
  secrets?: unknown;
}
