import { ParseUUIDPipe } from '@nestjs/common';
import { Args, Field, ID, InputType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { IsBoolean, IsUUID } from 'class-validator';
import { IsText } from '../../platform/graphql/is-text.decorator.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { PasskeysService } from '../passkeys/passkeys.service.js';
import { Passkey } from '../passkeys/passkey.entity.js';
import { LinkedIdentitiesService } from '../providers/linked-identities.service.js';
import { Identity } from '../providers/identity.entity.js';
import { Tenant } from '../tenant.entity.js';
import { TenantsService } from '../tenants.service.js';
import { MemberSignInMethods } from './member-sign-in-methods.js';
import { SignInMethodsService } from './sign-in-methods.service.js';

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

const fresh = 'In a session only, within ten minutes of a proof of who one is.';

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
    description: 'By what a member can sign in: one’s own, or with the permission "members:manage" anybody’s.',
  })
  signInMethods(
    @CurrentPrincipal() principal: Principal,
    @Args('memberId', { type: () => ID, nullable: true }, new ParseUUIDPipe({ optional: true }))
    memberId?: string | null,
  ) {
    return this.service.get(principal, memberId ?? undefined);
  }

  @Mutation(() => Passkey, { description: 'One’s own. New ones are made on the page /account/ways-in.' })
  renamePasskey(@CurrentPrincipal() principal: Principal, @Args('input') { passkeyId, name }: RenamePasskeyInput) {
    return this.passkeys.rename(principal, passkeyId, name);
  }

  @Mutation(() => Passkey, { description: `One’s own; the last way in stays. ${fresh}` })
  removePasskey(@CurrentPrincipal() principal: Principal, @Args('input') { passkeyId }: PasskeyInput) {
    return this.passkeys.remove(principal, passkeyId);
  }

  @Mutation(() => Identity, { description: `One’s own; the last way in stays. ${fresh}` })
  unlinkIdentity(@CurrentPrincipal() principal: Principal, @Args('input') { identityId }: IdentityInput) {
    return this.linkedIdentities.unlink(principal, identityId);
  }

  @Mutation(() => MemberSignInMethods, { description: `Whether one’s password asks for a passkey, too. ${fresh}` })
  setSecondFactorPreference(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { isWanted }: SetSecondFactorPreferenceInput,
  ) {
    return this.service.setSecondFactorPreference(principal, isWanted);
  }

  @Mutation(() => MemberSignInMethods, {
    description: `From then on one signs in by a passkey or a provider. The last way in stays. ${fresh}`,
  })
  removePassword(@CurrentPrincipal() principal: Principal) {
    return this.service.removePassword(principal);
  }

  @Mutation(() => Tenant, {
    description: 'Whether members who have a passkey need it besides their password. In a session only.',
  })
  @Allow('organization:manage')
  requireSecondFactor(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { isRequired }: RequireSecondFactorInput,
  ) {
    return this.tenants.requireSecondFactor(principal, isRequired);
  }
}
