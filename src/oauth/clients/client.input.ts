import { Field, ID, InputType, Int, OmitType, PartialType } from '@nestjs/graphql';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { basedOnField } from '../../platform/graphql/version.js';
import { IsText } from '../../platform/graphql/is-text.decorator.js';
import {
  type AuthMethod,
  AuthMethodEnum,
  authMethods,
  type ClientScope,
  ClientScopeEnum,
  clientScopes,
  type ClientTarget,
  ClientTargetEnum,
  clientTargets,
  type ClientType,
  ClientTypeEnum,
  clientTypes,
} from '../client.entity.js';

@InputType()
export class CreateOauthClientInput {
  @Field()
  @IsText(80)
  name: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @MaxLength(2000)
  @Matches(/^[^\0\p{Cs}]*$/u, { message: '$property has characters that cannot be stored' })
  description?: string | null;

  @Field(() => String, { nullable: true, description: 'An https:// URL.' })
  @IsOptional()
  @MaxLength(2000)
  logoUrl?: string | null;

  @Field(() => ClientTypeEnum)
  @IsIn(clientTypes)
  type: ClientType;

  @Field({
    defaultValue: false,
    description:
      'Installed on the user’s own machine. Must be a public client; http://localhost redirect URIs are allowed.',
  })
  @IsBoolean()
  isNative: boolean;

  @Field(() => [String], {
    description:
      'From 1 to 20 complete https:// URLs without a fragment, a wildcard or a user name. The redirect URI of a request must be identical.',
  })
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  redirectUris: string[];

  @Field(() => ClientTargetEnum)
  @IsIn(clientTargets)
  target: ClientTarget;

  @Field(() => ID, { nullable: true, description: 'Required for the target "mcp", not allowed for others.' })
  @IsOptional()
  @IsUUID()
  configurationId?: string | null;

  @Field(() => [ClientScopeEnum])
  @IsIn(clientScopes, { each: true })
  scopes: ClientScope[];

  @Field(() => AuthMethodEnum, {
    nullable: true,
    description: 'Defaults to "none" for a public client and "client_secret_basic" for a confidential one.',
  })
  @IsOptional()
  @IsIn(authMethods)
  authMethod?: AuthMethod | null;

  @Field(() => [String], { defaultValue: [], description: 'Up to ten email addresses.' })
  @ArrayMaxSize(10)
  @IsEmail({}, { each: true })
  contacts: string[];
}

@InputType({
  description: 'Omitted fields stay unchanged. Changing the target or removing a scope ends all grants of the client.',
})
export class UpdateOauthClientInput extends PartialType(OmitType(CreateOauthClientInput, ['type']), {
  omitDefaultValues: true,
}) {
  @Field(() => ID)
  @IsUUID()
  clientId: string;

  @Field(() => String, basedOnField)
  @IsOptional()
  @MaxLength(40)
  basedOn?: string | null;
}

@InputType()
export class OauthClientInput {
  @Field(() => ID)
  @IsUUID()
  clientId: string;
}

@InputType()
export class RotateOauthClientSecretInput extends OauthClientInput {
  @Field(() => Int, {
    defaultValue: 24 * 60 * 60,
    description: 'How long the previous secret stays valid: at most 30 days; 0 revokes it immediately.',
  })
  @IsInt()
  @Min(0)
  @Max(30 * 24 * 60 * 60)
  overlapSeconds: number;
}

@InputType()
export class RevokeOauthClientSecretInput {
  @Field(() => ID)
  @IsUUID()
  secretId: string;
}
