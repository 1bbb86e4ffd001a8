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
} from './client.entity.js';

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

  @Field(() => String, { nullable: true, description: 'An https:// address.' })
  @IsOptional()
  @MaxLength(2000)
  logoUrl?: string | null;

  @Field(() => ClientTypeEnum)
  @IsIn(clientTypes)
  type: ClientType;

  @Field({
    defaultValue: false,
    description:
      'Installed on its user’s own machine: a public client that may be called back at http://localhost, too.',
  })
  @IsBoolean()
  isNative: boolean;

  @Field(() => [String], {
    description:
      'From 1 to 20 complete addresses, https://, without a fragment, a pattern or a user name. What a request names has to be the same character by character.',
  })
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  redirectUris: string[];

  @Field(() => ClientTargetEnum)
  @IsIn(clientTargets)
  target: ClientTarget;

  @Field(() => ID, { nullable: true, description: 'For the target "mcp", and for no other.' })
  @IsOptional()
  @IsUUID()
  configurationId?: string | null;

  @Field(() => [ClientScopeEnum])
  @IsIn(clientScopes, { each: true })
  scopes: ClientScope[];

  @Field(() => AuthMethodEnum, {
    nullable: true,
    description: 'Left out: "none" for a public client, "client_secret_basic" for a confidential one.',
  })
  @IsOptional()
  @IsIn(authMethods)
  authMethod?: AuthMethod | null;

  @Field(() => [String], { defaultValue: [], description: 'E-mail addresses, at most ten.' })
  @ArrayMaxSize(10)
  @IsEmail({}, { each: true })
  contacts: string[];
}

@InputType({
  description:
    'What is left out stays as it is. Where the target changes or a scope is taken away, what people granted so far ends.',
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
    description: 'For how long the secret before works, too: at most 30 days; 0 ends it at once.',
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
