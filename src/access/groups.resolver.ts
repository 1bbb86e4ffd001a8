import { Args, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { IsUUID } from 'class-validator';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IsText } from '../platform/graphql/is-text.decorator.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Group } from './group.entity.js';
import { GroupsService } from './groups.service.js';
import { Member } from './member.entity.js';

@ObjectType()
export class GroupConnection extends Paginated(Group) {}

@InputType()
export class CreateGroupInput {
  @Field()
  @IsText(80)
  name: string;
}

@InputType()
export class GroupInput {
  @Field(() => ID)
  @IsUUID()
  groupId: string;
}

@InputType()
export class RenameGroupInput extends GroupInput {
  @Field()
  @IsText(80)
  name: string;
}

@InputType()
export class GroupMemberInput extends GroupInput {
  @Field(() => ID)
  @IsUUID()
  memberId: string;
}

const inSession = { description: 'In a session only.' };

@Resolver(() => Group)
@Authenticate('session', 'admin-token')
@Allow('members:manage')
export class GroupsResolver {
  constructor(private readonly all: GroupsService) {}

  @Query(() => GroupConnection, { description: 'By name. Who is in one: "members(groupId: …)".' })
  groups(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs) {
    return this.all.list(principal, page);
  }

  @Mutation(() => Group, inSession)
  createGroup(@CurrentPrincipal() principal: Principal, @Args('input') { name }: CreateGroupInput) {
    return this.all.create(principal, name);
  }

  @Mutation(() => Group, inSession)
  renameGroup(@CurrentPrincipal() principal: Principal, @Args('input') { groupId, name }: RenameGroupInput) {
    return this.all.rename(principal, groupId, name);
  }

  @Mutation(() => Group, { description: 'Refused while something else names the group. In a session only.' })
  removeGroup(@CurrentPrincipal() principal: Principal, @Args('input') { groupId }: GroupInput) {
    return this.all.remove(principal, groupId);
  }

  @Mutation(() => Member, inSession)
  addGroupMember(@CurrentPrincipal() principal: Principal, @Args('input') { groupId, memberId }: GroupMemberInput) {
    return this.all.add(principal, groupId, memberId);
  }

  @Mutation(() => Member, inSession)
  removeGroupMember(@CurrentPrincipal() principal: Principal, @Args('input') { groupId, memberId }: GroupMemberInput) {
    return this.all.takeOut(principal, groupId, memberId);
  }
}
