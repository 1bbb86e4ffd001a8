import { Field, ID, ObjectType } from '@nestjs/graphql';
import { Passkey } from '../passkeys/passkey.entity.js';
import { Identity } from '../providers/identity.entity.js';

@ObjectType({ description: 'By what a member can sign in.' })
export class MemberSignInMethods {
  @Field(() => ID)
  memberId: string;

  @Field()
  hasPassword: boolean;

  @Field({ description: 'Whether the member wants to be asked for a passkey besides the password.' })
  wantsSecondFactor: boolean;

  @Field(() => [Passkey])
  passkeys: Passkey[];

  @Field(() => [Identity])
  identities: Identity[];
}
