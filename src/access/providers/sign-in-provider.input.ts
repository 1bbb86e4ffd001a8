import { Field, ID, InputType, OmitType, PartialType } from '@nestjs/graphql';
import { ArrayMaxSize, ArrayNotEmpty, IsBoolean, IsOptional, IsUUID, Length, Matches } from 'class-validator';
import { IsText } from '../../platform/graphql/is-text.decorator.js';
import { basedOnField } from '../../platform/graphql/version.js';

const domain = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/i;

@InputType()
export class CreateSignInProviderInput {
  @Field(() => ID, {
    nullable: true,
    description: 'From "newSignInProvider", to get the redirect URI that it returned. Default: a new one.',
  })
  @IsOptional()
  @IsUUID()
  reservation?: string | null;

  @Field({ description: 'The button reads "Sign in with <name>".' })
  @IsText(60)
  name: string;

  @Field({ description: 'The issuer URL (https), exactly as in the provider’s metadata.' })
  @IsText(500)
  issuer: string;

  @Field()
  @IsText(300)
  clientId: string;

  @Field(() => String, { nullable: true, description: 'Omit for a public client.' })
  @IsOptional()
  @Length(1, 2000)
  clientSecret?: string | null;

  @Field(() => [String], { description: 'For example "example.com". List each subdomain separately.' })
  @ArrayNotEmpty()
  @ArrayMaxSize(100)
  @Matches(domain, { each: true, message: 'must be a domain such as example.com' })
  emailDomains: string[];

  @Field({
    description: 'Whether new users of these domains become members, with the role "member", when they first sign in.',
  })
  @IsBoolean()
  createsMembers: boolean;

  @Field(() => [ID], { defaultValue: [], description: 'The groups that such members join.' })
  @IsUUID(undefined, { each: true })
  @ArrayMaxSize(100)
  groupIds: string[];
}

@InputType()
export class SignInProviderInput {
  @Field(() => ID)
  @IsUUID()
  providerId: string;
}

@InputType({
  description: 'Omitted fields stay unchanged. To change the issuer or the client ID, enter the client secret again.',
})
export class UpdateSignInProviderInput extends PartialType(OmitType(CreateSignInProviderInput, ['reservation']), {
  omitDefaultValues: true,
}) {
  @Field(() => ID)
  @IsUUID()
  providerId: string;

  @Field(() => String, basedOnField)
  @IsOptional()
  @Length(1, 40)
  basedOn?: string | null;

  @Field({
    nullable: true,
    description:
      'False disables sign-in with this provider. Addresses in its domains then count as verified by invitation, unless another enabled provider covers the domain.',
  })
  @IsOptional()
  @IsBoolean()
  isEnabled?: boolean;
}
