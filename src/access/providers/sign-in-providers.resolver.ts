import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { versionOf } from '../../platform/graphql/version.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { settingsOf, SignInProvider } from './sign-in-provider.entity.js';
import { CreateSignInProviderInput, SignInProviderInput, UpdateSignInProviderInput } from './sign-in-provider.input.js';
import { SignInProviders } from './sign-in-providers.service.js';
import { Upstream } from './upstream.service.js';

@Resolver(() => SignInProvider)
@Authenticate('session', 'admin-token')
@Allow('organization:manage')
export class SignInProvidersResolver {
  constructor(
    private readonly all: SignInProviders,
    private readonly upstream: Upstream,
  ) {}

  @Query(() => [SignInProvider], { description: 'By name, disabled ones included.' })
  signInProviders(@CurrentPrincipal() principal: Principal) {
    return this.all.list(principal);
  }

  @ResolveField(() => String, { description: 'The redirect URI to enter at the provider.' })
  redirectUri(@Parent() { id }: SignInProvider) {
    return this.upstream.redirectUri(id);
  }

  @ResolveField(() => String, { description: 'Another one after each change of its settings.' })
  version(@Parent() provider: SignInProvider): string {
    return versionOf(settingsOf(provider));
  }

  @Mutation(() => SignInProvider, {
    description: 'Asks the provider for its metadata first, and saves nothing where that fails. In a session only.',
  })
  createSignInProvider(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateSignInProviderInput) {
    return this.all.create(principal, input);
  }

  @Mutation(() => SignInProvider, { description: 'In a session only.' })
  updateSignInProvider(@CurrentPrincipal() principal: Principal, @Args('input') input: UpdateSignInProviderInput) {
    return this.all.update(principal, input);
  }

  @Mutation(() => SignInProvider, {
    description: 'Nobody signs in by it any more; who is signed in stays so. In a session only.',
  })
  removeSignInProvider(@CurrentPrincipal() principal: Principal, @Args('input') { providerId }: SignInProviderInput) {
    return this.all.remove(principal, providerId);
  }
}
