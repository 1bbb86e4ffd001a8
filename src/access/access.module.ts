import { Global, Module } from '@nestjs/common';
import { AccountController } from './account.controller.js';
import { AdminTokenStrategy } from './admin-token.strategy.js';
import { AdminTokensResolver } from './admin-tokens.resolver.js';
import { AdminTokensService } from './admin-tokens.service.js';
import { Attempts } from './attempts.service.js';
import { Challenges } from './challenges.service.js';
import { CredentialHolders } from './credential-holders.service.js';
import { Departures } from './departures.service.js';
import { GroupsResolver } from './groups.resolver.js';
import { GroupsService } from './groups.service.js';
import { AccessChanges } from './independence/access-changes.service.js';
import { IndependenceResolver } from './independence/independence.resolver.js';
import { IndependenceService } from './independence/independence.service.js';
import { IntroducedReviewersSetting } from './independence/introduced-reviewers.service.js';
import { MemberIndependenceService } from './independence/member-independence.service.js';
import { Introductions } from './independence/introductions.service.js';
import { Vouches } from './independence/vouches.service.js';
import { InvitationController } from './invitation.controller.js';
import { InvitationsService } from './invitations.service.js';
import { LinksResolver } from './links.resolver.js';
import { LinksService } from './links.service.js';
import { MeResolver } from './me.resolver.js';
import { MembersResolver } from './members.resolver.js';
import { MembersService } from './members.service.js';
import { MembershipsService } from './memberships.service.js';
import { PasskeySignInController } from './passkeys/passkey-sign-in.controller.js';
import { PasskeySignIn } from './passkeys/passkey-sign-in.service.js';
import { Passkeys } from './passkeys/passkeys.service.js';
import { SecondFactorForm } from './passkeys/second-factor-form.service.js';
import { WebAuthn } from './passkeys/webauthn.service.js';
import { PasswordsService } from './passwords.service.js';
import { ProfilesService } from './profiles.service.js';
import { Identities } from './providers/identities.service.js';
import { ProviderSignInController } from './providers/provider-sign-in.controller.js';
import { ProviderSignIn } from './providers/provider-sign-in.service.js';
import { SignInProvidersResolver } from './providers/sign-in-providers.resolver.js';
import { SignInProviders } from './providers/sign-in-providers.service.js';
import { Upstream } from './providers/upstream.service.js';
import { Recheck } from './recheck.service.js';
import { RefusedCredentials } from './refused-credentials.service.js';
import { ResetController } from './reset.controller.js';
import { SessionCookie } from './session-cookie.service.js';
import { SessionStrategy } from './session.strategy.js';
import { SessionsService } from './sessions.service.js';
import { SetUpController } from './set-up.controller.js';
import { SetUpService } from './set-up.service.js';
import { SignInForm } from './sign-in-form.service.js';
import { SignInController } from './sign-in.controller.js';
import { SignInService } from './sign-in.service.js';
import { TenantKeyStrategy } from './tenant-key.strategy.js';
import { TenantKeysResolver } from './tenant-keys.resolver.js';
import { TenantKeysService } from './tenant-keys.service.js';
import { TenantsResolver } from './tenants.resolver.js';
import { TenantsService } from './tenants.service.js';
import { ConfirmController } from './ways-in/confirm.controller.js';
import { WaysInController } from './ways-in/ways-in.controller.js';
import { WaysInResolver } from './ways-in/ways-in.resolver.js';
import { WaysIn } from './ways-in/ways-in.service.js';

const services = [
  AccessChanges,
  AdminTokensService,
  Attempts,
  CredentialHolders,
  Departures,
  GroupsService,
  IndependenceService,
  IntroducedReviewersSetting,
  MemberIndependenceService,
  InvitationsService,
  MembersService,
  PasswordsService,
  ProfilesService,
  Recheck,
  RefusedCredentials,
  SessionsService,
  SetUpService,
  SignInService,
  TenantKeysService,
  TenantsService,
  Vouches,
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
  WaysInResolver,
  IndependenceResolver,
];
/** Ways in besides the password, and what begins now and ends later. */
const waysIn = [
  Challenges,
  Identities,
  Passkeys,
  PasskeySignIn,
  ProviderSignIn,
  SecondFactorForm,
  SignInForm,
  SignInProviders,
  Upstream,
  WaysIn,
  WebAuthn,
];

@Global()
@Module({
  controllers: [
    SetUpController,
    SignInController,
    PasskeySignInController,
    ProviderSignInController,
    InvitationController,
    ResetController,
    AccountController,
    WaysInController,
    ConfirmController,
  ],
  providers: [
    ...services,
    ...waysIn,
    MembershipsService,
    Introductions,
    LinksService,
    SessionCookie,
    ...strategies,
    ...resolvers,
  ],
  exports: [...services, Attempts],
})
export class AccessModule {}
