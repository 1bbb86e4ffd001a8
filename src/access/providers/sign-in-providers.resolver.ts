import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { contentVersionOf } from '../../platform/graphql/version.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
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

  @Query(() => [SignInProvider], { description: 'By name, disabled ones included.' })
  signInProviders(@CurrentPrincipal() principal: Principal) {
    return this.service.list(principal);
  }

  @ResolveField(() => String, { description: 'The redirect URI to enter at the provider.' })
  redirectUri(@Parent() { id }: SignInProvider) {
    return this.oidcProviderClient.redirectUri(id);
  }

  @ResolveField(() => String, { description: 'Another one after each change of its settings.' })
  version(@Parent() provider: SignInProvider): string {
    return contentVersionOf(signInProviderSettings(provider));
  }

  @Mutation(() => SignInProvider, {
    description: 'Asks the provider for its metadata first, and saves nothing where that fails. In a session only.',
  })
  createSignInProvider(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateSignInProviderInput) {
    return this.service.create(principal, input);
  }

  @Mutation(() => SignInProvider, { description: 'In a session only.' })
  updateSignInProvider(@CurrentPrincipal() principal: Principal, @Args('input') input: UpdateSignInProviderInput) {
    return this.service.update(principal, input);
  }

  @Mutation(() => SignInProvider, {
    description: 'Nobody signs in by it any more; who is signed in stays so. In a session only.',
  })
  removeSignInProvider(@CurrentPrincipal() principal: Principal, @Args('input') { providerId }: SignInProviderInput) {
    return this.service.remove(principal, providerId);
  }
}
