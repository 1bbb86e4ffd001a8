import { Args, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { InvitationsService } from './invitations.service.js';
import { CreatedLink } from './links.resolver.js';
import { Member } from './member.entity.js';
import {
  InviteMemberInput,
  MemberInput,
  MembersArgs,
  PasswordResetInput,
  RenameMemberInput,
  SetMemberRolesInput,
} from './members.input.js';
import { MemberStatusService } from './member-status.service.js';
import { MembersService } from './members.service.js';
import { PasswordsService } from './passwords.service.js';

@ObjectType()
export class MemberConnection extends Paginated(Member) {}

@Resolver(() => Member)
@Authenticate('session', 'admin-token')
@Allow('members:manage')
export class MembersResolver {
  constructor(
    private readonly service: MembersService,
    private readonly statuses: MemberStatusService,
    private readonly invitations: InvitationsService,
    private readonly passwords: PasswordsService,
  ) {}

  @Query(() => MemberConnection, { description: 'The members of the organization, sorted by name.' })
  members(@CurrentPrincipal() principal: Principal, @Args() { status, role, groupId, search, ...page }: MembersArgs) {
    return this.service.list(principal, page, { status, role, groupId, search });
  }

  @Query(() => Member)
  member(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.service.get(principal, id);
  }

  @AllowAdminToken('as a plain member without groups')
  @Mutation(() => CreatedLink, {
    description:
      'Creates a link with which a person becomes a member. It is shown only once, and you pass it on yourself. Granting groups, or roles other than "member", requires a session.',
  })
  inviteMember(@CurrentPrincipal() principal: Principal, @Args('input') input: InviteMemberInput) {
    return this.invitations.invite(principal, input);
  }

  @Mutation(() => CreatedLink, {
    description:
      'Creates a link with which a member sets a new password, and revokes earlier links. Anyone who has the link can sign in as that member. Requires a session.',
  })
  createPasswordReset(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { memberId, removesPasskeys }: PasswordResetInput,
  ) {
    return this.passwords.issueReset(principal, memberId, { removesPasskeys });
  }

  @Mutation(() => Member, { description: 'Requires a session.' })
  setMemberRoles(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { memberId, roles, basedOn }: SetMemberRolesInput,
  ) {
    return this.service.setRoles(principal, memberId, roles, basedOn);
  }

  @Mutation(() => Member)
  renameMember(@CurrentPrincipal() principal: Principal, @Args('input') { memberId, name }: RenameMemberInput) {
    return this.service.rename(principal, memberId, name);
  }

  @AllowAdminToken('people without a role and without a group')
  @Mutation(() => Member, {
    description:
      'Ends the sessions of a member. Keys, clients and agents that the member is responsible for stop working with the next request.',
  })
  suspendMember(@CurrentPrincipal() principal: Principal, @Args('input') { memberId }: MemberInput) {
    return this.statuses.suspend(principal, memberId);
  }

  @Mutation(() => Member, { description: 'Ends a suspension. Requires a session.' })
  reactivateMember(@CurrentPrincipal() principal: Principal, @Args('input') { memberId }: MemberInput) {
    return this.statuses.reactivate(principal, memberId);
  }

  @Mutation(() => Member, { description: 'Permanent: only a new invitation restores a member.' })
  removeMember(@CurrentPrincipal() principal: Principal, @Args('input') { memberId }: MemberInput) {
    return this.statuses.remove(principal, memberId);
  }
}
