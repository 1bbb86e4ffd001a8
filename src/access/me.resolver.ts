import {
  Args,
  Context,
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { IsUUID, Length } from 'class-validator';
import type { Request } from 'express';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Member } from './member.entity.js';
import { MembersService } from './members.service.js';
import { PasswordsService } from './passwords.service.js';
import { Session } from './session.entity.js';
import { requireMember, SessionsService } from './sessions.service.js';
import { Tenant } from './tenant.entity.js';
import { TenantsService } from './tenants.service.js';

@ObjectType({ description: 'The caller.' })
export class Me {
  @Field(() => [String], { description: 'The permissions of this session or token.' })
  permissions: string[];

  @Field(() => ID, { nullable: true, description: 'The session; null with an admin token.' })
  sessionId: string | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When you last confirmed your identity in this session.',
  })
  freshAt: Date | null;
}

@InputType()
export class ConfirmPasswordInput {
  @Field()
  @Length(1, 1000)
  password: string;
}

@InputType()
export class UpdatePasswordInput {
  @Field()
  @Length(1, 1000)
  current: string;

  @Field({ description: 'At least 12 characters.' })
  @Length(1, 1000)
  password: string;
}

@InputType()
export class EndSessionInput {
  @Field(() => ID)
  @IsUUID()
  sessionId: string;
}

@Resolver(() => Me)
@Authenticate('session', 'admin-token')
@Allow()
export class MeResolver {
  constructor(
    private readonly members: MembersService,
    private readonly tenants: TenantsService,
    private readonly sessions: SessionsService,
    private readonly passwords: PasswordsService,
  ) {}

  @Query(() => Me)
  me(@CurrentPrincipal() { permissions, sessionId, freshAt }: Principal): Me {
    return { permissions: [...permissions].sort(), sessionId: sessionId ?? null, freshAt: freshAt ?? null };
  }

  @ResolveField(() => Member)
  member(@CurrentPrincipal() principal: Principal) {
    return this.members.get(principal, requireMember(principal).memberId);
  }

  @ResolveField(() => Tenant)
  tenant(@CurrentPrincipal() principal: Principal) {
    return this.tenants.get(principal);
  }

  @ResolveField('sessions', () => [Session], { description: 'Your active sessions.' })
  ownSessions(@CurrentPrincipal() principal: Principal) {
    return this.sessions.list(principal);
  }

  @Mutation(() => Me, {
    description:
      'Confirms your identity with your password; sensitive actions, such as revealing a key, require this within the last ten minutes. To use a passkey or a provider, open the page /confirm. Requires a session.',
  })
  async confirmPassword(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { password }: ConfirmPasswordInput,
    @Context('req') { ip = '' }: Request,
  ) {
    const freshAt = await this.passwords.confirm(principal, password, ip);
    return this.me({ ...principal, freshAt });
  }

  @Mutation(() => Me, { description: 'Changes your password and ends all your other sessions. Requires a session.' })
  async updatePassword(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { current, password }: UpdatePasswordInput,
    @Context('req') { ip = '' }: Request,
  ) {
    const freshAt = await this.passwords.change(principal, { current, next: password, address: ip });
    return this.me({ ...principal, freshAt });
  }

  @Mutation(() => ID, { description: 'Ends one of your sessions.' })
  async endSession(@CurrentPrincipal() principal: Principal, @Args('input') { sessionId }: EndSessionInput) {
    await this.sessions.end(principal, sessionId);
    return sessionId;
  }

  @Mutation(() => [ID], { description: 'Ends all your sessions except this one. Requires a session.' })
  endOtherSessions(@CurrentPrincipal() principal: Principal) {
    return this.sessions.endOthers(principal);
  }
}
