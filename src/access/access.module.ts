import { Global, Module } from '@nestjs/common';
import { AdministrationResolver } from './administration.resolver.js';
import { AdministrationService } from './administration/administration.service.js';
import { ApproverGroupRegistry } from './administration/approver-group-registry.service.js';
import { RestoredRightsRegistry } from './administration/restored-rights-registry.service.js';
import { ChangeKindRegistry } from './administration/change-kind-registry.service.js';
import { ProposedChangeStore } from './administration/proposed-change-store.service.js';
import { ProposedChangesService } from './administration/proposed-changes.service.js';
import { TwoPersonAdministrationService } from './administration/two-person-administration.service.js';
import { AccountController } from './account.controller.js';
import { AdminTokenStrategy } from './admin-token.strategy.js';
import { AdminTokensResolver } from './admin-tokens.resolver.js';
import { AdminTokensService } from './admin-tokens.service.js';
import { LimitsModule } from '../limits/limits.module.js';
import { LoginThrottle } from './login-throttle.service.js';
import { ChallengeStore } from './challenge-store.service.js';
import { CredentialHolderRegistry } from './credential-holder-registry.service.js';
import { MemberRemovalHookRegistry } from './member-removal-hook-registry.service.js';
import { GroupsResolver } from './groups.resolver.js';
import { GroupsService } from './groups.service.js';
import { AccessChangeNotifier } from './independence/access-change-notifier.service.js';
import { IndependenceResolver } from './independence.resolver.js';
import { IndependenceService } from './independence/independence.service.js';
import { IntroducedReviewersService } from './administration/introduced-reviewers.service.js';
import { MemberIndependenceService } from './independence/member-independence.service.js';
import { IntroductionsService } from './independence/introductions.service.js';
import { VouchesService } from './independence/vouches.service.js';
import { InvitationController } from './invitation.controller.js';
import { InvitationsService } from './invitations.service.js';
import { IssuedTokensService } from './issued-tokens.service.js';
import { LinkFormsService } from './link-forms.service.js';
import { LinksResolver } from './links.resolver.js';
import { LinksService } from './links.service.js';
import { MeResolver } from './me.resolver.js';
import { MembersResolver } from './members.resolver.js';
import { MemberReactivationService } from './member-reactivation.service.js';
import { MemberStatusService } from './member-status.service.js';
import { MembersService } from './members.service.js';
import { MembershipsService } from './memberships.service.js';
import { PasskeySignInController } from './sign-in/passkey-sign-in.controller.js';
import { PasskeyAssertionsService } from './passkeys/passkey-assertions.service.js';
import { PasskeySignInService } from './passkeys/passkey-sign-in.service.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { SecondFactorPageRenderer } from './passkeys/second-factor-page-renderer.service.js';
import { WebAuthnService } from './passkeys/webauthn.service.js';
import { PasswordsService } from './passwords.service.js';
import { ProfilesService } from './profiles.service.js';
import { LinkedIdentitiesService } from './providers/linked-identities.service.js';
import { ProviderChangeDescriptionService } from './providers/provider-change-description.service.js';
import { ProviderSignInController } from './sign-in/provider-sign-in.controller.js';
import { ProviderSignInFailuresService } from './providers/provider-sign-in-failures.service.js';
import { ProviderSignInService } from './providers/provider-sign-in.service.js';
import { SignInProvidersResolver } from './providers/sign-in-providers.resolver.js';
import { SignInProvidersService } from './providers/sign-in-providers.service.js';
import { OidcProviderClient } from './providers/oidc-provider-client.service.js';
import { CredentialRevalidationService } from './credential-revalidation.service.js';
import { RefusedCredentialsService } from './refused-credentials.service.js';
import { ResetController } from './reset.controller.js';
import { SessionCookieService } from './session-cookie.service.js';
import { SessionStrategy } from './session.strategy.js';
import { SessionsService } from './sessions.service.js';
import { SetUpController } from './set-up.controller.js';
import { SetUpService } from './set-up.service.js';
import { SignInPageRenderer } from './sign-in/sign-in-page-renderer.service.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignInService } from './sign-in.service.js';
import { TenantKeyStrategy } from './tenant-key.strategy.js';
import { TenantKeysResolver } from './tenant-keys.resolver.js';
import { TenantKeysService } from './tenant-keys.service.js';
import { TenantsResolver } from './tenants.resolver.js';
import { TenantsService } from './tenants.service.js';
import { ConfirmController } from './sign-in-methods/confirm.controller.js';
import { SignInMethodsController } from './sign-in-methods/sign-in-methods.controller.js';
import { SignInMethodsPageRenderer } from './sign-in-methods/sign-in-methods-page-renderer.service.js';
import { SignInMethodsResolver } from './sign-in-methods/sign-in-methods.resolver.js';
import { SignInMethodsService } from './sign-in-methods.service.js';

const services = [
  AccessChangeNotifier,
  AdministrationService,
  AdminTokensService,
  ApproverGroupRegistry,
  RestoredRightsRegistry,
  LoginThrottle,
  CredentialHolderRegistry,
  MemberRemovalHookRegistry,
  GroupsService,
  IndependenceService,
  IntroducedReviewersService,
  MemberIndependenceService,
  InvitationsService,
  MembersService,
  MemberStatusService,
  MemberReactivationService,
  PasswordsService,
  ProfilesService,
  ProposedChangesService,
  CredentialRevalidationService,
  RefusedCredentialsService,
  SessionsService,
  SetUpService,
  SignInService,
  TenantKeysService,
  TenantsService,
  TwoPersonAdministrationService,
  VouchesService,
];
const strategies = [SessionStrategy, AdminTokenStrategy, TenantKeyStrategy];
const resolvers = [
  MeResolver,
  TenantsResolver,
  MembersResolver,
  GroupsResolver,
  LinksResolver,
  AdminTokensResolver,
  TenantKeysResolver,
  SignInProvidersResolver,
  SignInMethodsResolver,
  IndependenceResolver,
  AdministrationResolver,
];
/** Sign-in methods other than the password, and sign-ins that span several requests. */
const signInMethodProviders = [
  ChallengeStore,
  LinkedIdentitiesService,
  PasskeyAssertionsService,
  PasskeysService,
  PasskeySignInService,
  ProviderChangeDescriptionService,
  ProviderSignInFailuresService,
  ProviderSignInService,
  SecondFactorPageRenderer,
  SignInPageRenderer,
  SignInProvidersService,
  OidcProviderClient,
  SignInMethodsPageRenderer,
  SignInMethodsService,
  WebAuthnService,
];

@Global()
@Module({
  imports: [LimitsModule],
  controllers: [
    SetUpController,
    SignInController,
    PasskeySignInController,
    ProviderSignInController,
    InvitationController,
    ResetController,
    AccountController,
    SignInMethodsController,
    ConfirmController,
  ],
  providers: [
    ...services,
    ...signInMethodProviders,
    MembershipsService,
    ChangeKindRegistry,
    ProposedChangeStore,
    IntroductionsService,
    LinksService,
    LinkFormsService,
    IssuedTokensService,
    SessionCookieService,
    ...strategies,
    ...resolvers,
  ],
  exports: [...services, LoginThrottle, PasskeyAssertionsService],
})
export class AccessModule {}
