import { Global, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccountController } from './account.controller.js';
import { AdminTokenStrategy } from './admin-token.strategy.js';
import { AdminTokensResolver } from './admin-tokens.resolver.js';
import { AdminTokensService } from './admin-tokens.service.js';
import { Attempts } from './attempts.service.js';
import { GroupsResolver } from './groups.resolver.js';
import { GroupsService } from './groups.service.js';
import { InvitationController } from './invitation.controller.js';
import { InvitationsService } from './invitations.service.js';
import { LinksResolver } from './links.resolver.js';
import { LinksService } from './links.service.js';
import { MeResolver } from './me.resolver.js';
import { MembersResolver } from './members.resolver.js';
import { MembersService } from './members.service.js';
import { MembershipsService } from './memberships.service.js';
import { PasswordsService } from './passwords.service.js';
import { ProfilesService } from './profiles.service.js';
import { Recheck } from './recheck.service.js';
import { RefusedCredentials } from './refused-credentials.service.js';
import { ResetController } from './reset.controller.js';
import { SessionCookie } from './session-cookie.service.js';
import { SessionStrategy } from './session.strategy.js';
import { SessionsService } from './sessions.service.js';
import { SetUpController } from './set-up.controller.js';
import { SetUpService } from './set-up.service.js';
import { SignInController } from './sign-in.controller.js';
import { SignInService } from './sign-in.service.js';
import { TenantKeyStrategy } from './tenant-key.strategy.js';
import { TenantKeysResolver } from './tenant-keys.resolver.js';
import { TenantKeysService } from './tenant-keys.service.js';
import { TenantsResolver } from './tenants.resolver.js';
import { TenantsService } from './tenants.service.js';

const services = [
  AdminTokensService,
  GroupsService,
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
];

@Global()
@Module({
  controllers: [SetUpController, SignInController, InvitationController, ResetController, AccountController],
  providers: [...services, Attempts, MembershipsService, LinksService, SessionCookie, ...strategies, ...resolvers],
  exports: services,
})
export class AccessModule implements NestModule {
  constructor(private readonly refused: RefusedCredentials) {}

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(this.refused.watch).forRoutes('{*path}');
  }
}
