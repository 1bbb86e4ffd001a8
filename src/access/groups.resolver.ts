import {
  Args,
  Field,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { IsUUID } from 'class-validator';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { IsText } from '../platform/graphql/is-text.decorator.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Group } from './group.entity.js';
import { type GroupWithMemberCount, GroupsService } from './groups.service.js';
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

const inSession = { description: 'Requires a session.' };

@Resolver(() => Group)
@Authenticate('session', 'admin-token')
@Allow('members:manage')
export class GroupsResolver {
  constructor(private readonly service: GroupsService) {}

  @Query(() => GroupConnection, {
    description: 'Sorted by name. For the members of a group, use "members(groupId: …)".',
  })
  groups(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs) {
    return this.service.list(principal, page);
  }

  @Query(() => Group)
  group(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.service.getWithMemberCount(principal, id);
  }

  @ResolveField(() => Int, { description: 'The number of members.' })
  async memberCount(@CurrentPrincipal() principal: Principal, @Parent() group: Group | GroupWithMemberCount) {
    return 'memberCount' in group
      ? group.memberCount
      : (await this.service.getWithMemberCount(principal, group.id)).memberCount;
  }

  @Mutation(() => Group, inSession)
  createGroup(@CurrentPrincipal() principal: Principal, @Args('input') { name }: CreateGroupInput) {
    return this.service.create(principal, name);
  }

  @Mutation(() => Group, inSession)
  renameGroup(@CurrentPrincipal() principal: Principal, @Args('input') { groupId, name }: RenameGroupInput) {
    return this.service.rename(principal, groupId, name);
  }

  @Mutation(() => Group, {
    description: 'Rejected while a configuration, an approval step or a document uses the group. Requires a session.',
  })
  removeGroup(@CurrentPrincipal() principal: Principal, @Args('input') { groupId }: GroupInput) {
    return this.service.remove(principal, groupId);
  }

  @Mutation(() => Member, inSession)
  addGroupMember(@CurrentPrincipal() principal: Principal, @Args('input') { groupId, memberId }: GroupMemberInput) {
    return this.service.addMember(principal, groupId, memberId);
  }

  @Mutation(() => Member, inSession)
  removeGroupMember(@CurrentPrincipal() principal: Principal, @Args('input') { groupId, memberId }: GroupMemberInput) {
    return this.service.removeMember(principal, groupId, memberId);
  }
}
