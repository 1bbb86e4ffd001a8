import { ParseUUIDPipe } from '@nestjs/common';
import { Args, Field, ID, InputType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { IsBoolean, IsUUID } from 'class-validator';
import { IsText } from '../../platform/graphql/is-text.decorator.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { PasskeysService } from '../passkeys/passkeys.service.js';
import { Passkey } from '../passkey.entity.js';
import { LinkedIdentitiesService } from '../providers/linked-identities.service.js';
import { Identity } from '../identity.entity.js';
import { Tenant } from '../tenant.entity.js';
import { TenantsService } from '../tenants.service.js';
import { MemberSignInMethods } from '../member-sign-in-methods.js';
import { SignInMethodsService } from '../sign-in-methods.service.js';

@InputType()
export class PasskeyInput {
  @Field(() => ID)
  @IsUUID()
  passkeyId: string;
}

@InputType()
export class RenamePasskeyInput extends PasskeyInput {
  @Field()
  @IsText(60)
  name: string;
}

@InputType()
export class IdentityInput {
  @Field(() => ID)
  @IsUUID()
  identityId: string;
}

@InputType()
export class SetSecondFactorPreferenceInput {
  @Field()
  @IsBoolean()
  isWanted: boolean;
}

@InputType()
export class RequireSecondFactorInput {
  @Field()
  @IsBoolean()
  isRequired: boolean;
}

const fresh = 'Requires a session in which you confirmed your identity within the last ten minutes.';

@Resolver(() => MemberSignInMethods)
@Authenticate('session', 'admin-token')
@Allow()
export class SignInMethodsResolver {
  constructor(
    private readonly service: SignInMethodsService,
    private readonly passkeys: PasskeysService,
    private readonly linkedIdentities: LinkedIdentitiesService,
    private readonly tenants: TenantsService,
  ) {}

  @Query(() => MemberSignInMethods, {
    description:
      'The sign-in methods of a member: your own or, with the permission "members:manage", those of any member.',
  })
  signInMethods(
    @CurrentPrincipal() principal: Principal,
    @Args('memberId', { type: () => ID, nullable: true }, new ParseUUIDPipe({ optional: true }))
    memberId?: string | null,
  ) {
    return this.service.get(principal, memberId ?? undefined);
  }

  @Mutation(() => Passkey, { description: 'Renames one of your passkeys. To add one, open the page /account/ways-in.' })
  renamePasskey(@CurrentPrincipal() principal: Principal, @Args('input') { passkeyId, name }: RenamePasskeyInput) {
    return this.passkeys.rename(principal, passkeyId, name);
  }

  @Mutation(() => Passkey, {
    description: `Removes one of your passkeys, unless it is your last sign-in method. ${fresh}`,
  })
  removePasskey(@CurrentPrincipal() principal: Principal, @Args('input') { passkeyId }: PasskeyInput) {
    return this.passkeys.remove(principal, passkeyId);
  }

  @Mutation(() => Identity, {
    description: `Unlinks one of your identities, unless it is your last sign-in method. ${fresh}`,
  })
  unlinkIdentity(@CurrentPrincipal() principal: Principal, @Args('input') { identityId }: IdentityInput) {
    return this.linkedIdentities.unlink(principal, identityId);
  }

  @Mutation(() => MemberSignInMethods, { description: `Sets whether you need a passkey after your password. ${fresh}` })
  setSecondFactorPreference(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { isWanted }: SetSecondFactorPreferenceInput,
  ) {
    return this.service.setSecondFactorPreference(principal, isWanted);
  }

  @Mutation(() => MemberSignInMethods, {
    description: `Removes your password, unless it is your last sign-in method. You then sign in with a passkey or a provider. ${fresh}`,
  })
  removePassword(@CurrentPrincipal() principal: Principal) {
    return this.service.removePassword(principal);
  }

  @Mutation(() => Tenant, {
    description: 'Sets whether members who have a passkey must use it after their password. Requires a session.',
  })
  @Allow('organization:manage')
  requireSecondFactor(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { isRequired }: RequireSecondFactorInput,
  ) {
    return this.tenants.requireSecondFactor(principal, isRequired);
  }
}
