import { Field, ID, ObjectType } from '@nestjs/graphql';
import { Passkey } from './passkey.entity.js';
import { Identity } from './identity.entity.js';

@ObjectType({ description: 'The sign-in methods of a member.' })
export class MemberSignInMethods {
  @Field(() => ID)
  memberId: string;

  @Field()
  hasPassword: boolean;

  @Field({ description: 'Whether the member has chosen to use a passkey after the password.' })
  wantsSecondFactor: boolean;

  @Field(() => [Passkey])
  passkeys: Passkey[];

  @Field(() => [Identity])
  identities: Identity[];
}
