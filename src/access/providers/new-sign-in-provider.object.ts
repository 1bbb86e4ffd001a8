import { Field, ID, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'A sign-in provider that does not exist yet.' })
export class NewSignInProvider {
  @Field(() => ID, { description: 'For "createSignInProvider".' })
  reservation: string;

  @Field({ description: 'The redirect URI to register at the provider.' })
  redirectUri: string;
}
