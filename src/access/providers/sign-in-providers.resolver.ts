import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { contentVersionOf } from '../../platform/graphql/version.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { NewSignInProvider } from './new-sign-in-provider.object.js';
import { signInProviderSettings, SignInProvider } from './sign-in-provider.entity.js';
import { CreateSignInProviderInput, SignInProviderInput, UpdateSignInProviderInput } from './sign-in-provider.input.js';
import { SignInProvidersService } from './sign-in-providers.service.js';
import { OidcProviderClient } from './oidc-provider-client.service.js';

@Resolver(() => SignInProvider)
@Authenticate('session', 'admin-token')
@Allow('organization:manage')
export class SignInProvidersResolver {
  constructor(
    private readonly service: SignInProvidersService,
    private readonly oidcProviderClient: OidcProviderClient,
  ) {}

  @Query(() => [SignInProvider], { description: 'Sorted by name, including disabled ones.' })
  signInProviders(@CurrentPrincipal() principal: Principal) {
    return this.service.list(principal);
  }

  @Query(() => NewSignInProvider, {
    description:
      'The redirect URI of a provider that you are about to add. Stores nothing; every request returns another.',
  })
  newSignInProvider(@CurrentPrincipal() principal: Principal) {
    return this.service.reserve(principal);
  }

  @ResolveField(() => String, { description: 'The redirect URI to register at the provider.' })
  redirectUri(@Parent() { id }: SignInProvider) {
    return this.oidcProviderClient.redirectUri(id);
  }

  @ResolveField(() => String, { description: 'Changes with every change of the settings.' })
  version(@Parent() provider: SignInProvider): string {
    return contentVersionOf(signInProviderSettings(provider));
  }

  @Mutation(() => SignInProvider, {
    description: 'Fetches the metadata of the provider first, and saves nothing if that fails. Requires a session.',
  })
  createSignInProvider(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateSignInProviderInput) {
    return this.service.create(principal, input);
  }

  @Mutation(() => SignInProvider, { description: 'Requires a session.' })
  updateSignInProvider(@CurrentPrincipal() principal: Principal, @Args('input') input: UpdateSignInProviderInput) {
    return this.service.update(principal, input);
  }

  @Mutation(() => SignInProvider, {
    description: 'Members can no longer sign in with it; existing sessions stay signed in. Requires a session.',
  })
  removeSignInProvider(@CurrentPrincipal() principal: Principal, @Args('input') { providerId }: SignInProviderInput) {
    return this.service.remove(principal, providerId);
  }
}
