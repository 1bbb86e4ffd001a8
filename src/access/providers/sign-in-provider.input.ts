import { Field, ID, InputType, PartialType } from '@nestjs/graphql';
import { ArrayMaxSize, ArrayNotEmpty, IsBoolean, IsOptional, IsUUID, Length, Matches } from 'class-validator';
import { IsText } from '../../platform/graphql/is-text.decorator.js';
import { basedOnField } from '../../platform/graphql/version.js';

const domain = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/i;

@InputType()
export class CreateSignInProviderInput {
  @Field({ description: 'For the button: "Sign in with <name>".' })
  @IsText(60)
  name: string;

  @Field({ description: 'The issuer’s https address, exactly as the provider’s metadata names it.' })
  @IsText(500)
  issuer: string;

  @Field()
  @IsText(300)
  clientId: string;

  @Field(() => String, { nullable: true, description: 'Left out for a public client.' })
  @IsOptional()
  @Length(1, 2000)
  clientSecret?: string | null;

  @Field(() => [String], { description: 'Such as "example.com"; a subdomain is another domain.' })
  @ArrayNotEmpty()
  @ArrayMaxSize(100)
  @Matches(domain, { each: true, message: 'is no domain such as example.com' })
  emailDomains: string[];

  @Field({ description: 'Whether unknown people of these domains become members, with the role "member".' })
  @IsBoolean()
  createsMembers: boolean;

  @Field(() => [ID], { defaultValue: [], description: 'What such members get into.' })
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

@InputType({ description: 'What is left out stays. Another issuer or client id needs the client secret again.' })
export class UpdateSignInProviderInput extends PartialType(CreateSignInProviderInput, { omitDefaultValues: true }) {
  @Field(() => ID)
  @IsUUID()
  providerId: string;

  @Field(() => String, basedOnField)
  @IsOptional()
  @Length(1, 40)
  basedOn?: string | null;

  @Field({ nullable: true, description: 'False: nobody signs in by it until it is true again.' })
  @IsOptional()
  @IsBoolean()
  isEnabled?: boolean;
}
