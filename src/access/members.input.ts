import { ArgsType, Field, ID, InputType } from '@nestjs/graphql';
import { ArrayMaxSize, IsBoolean, IsEmail, IsIn, IsOptional, IsUUID, Length } from 'class-validator';
import { PageArgs } from '../platform/graphql/connection.js';
import { IsText } from '../platform/graphql/is-text.decorator.js';
import { type Role, roles } from '../principal/permissions.js';
import { type MemberStatus, MemberStatusEnum, RoleEnum } from './member.entity.js';

@ArgsType()
export class MembersArgs extends PageArgs {
  @Field(() => MemberStatusEnum, { nullable: true, description: 'If omitted: all members except removed ones.' })
  @IsOptional()
  status?: MemberStatus | null;

  @Field(() => RoleEnum, { nullable: true })
  @IsOptional()
  @IsIn(roles)
  role?: Role | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  groupId?: string | null;

  @Field(() => String, { nullable: true, description: 'Part of the name or email address.' })
  @IsOptional()
  @IsText(120)
  search?: string | null;
}

@InputType()
export class InviteMemberInput {
  @Field()
  @IsEmail({}, { message: 'is not an email address' })
  @Length(3, 254)
  email: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @IsText(120)
  name?: string | null;

  @Field(() => [RoleEnum], { defaultValue: ['member'] })
  @IsIn(roles, { each: true })
  roles: Role[];

  @Field(() => [ID], { defaultValue: [] })
  @IsUUID(undefined, { each: true })
  @ArrayMaxSize(100)
  groupIds: string[];
}

@InputType()
export class MemberInput {
  @Field(() => ID)
  @IsUUID()
  memberId: string;
}

@InputType()
export class SetMemberRolesInput extends MemberInput {
  @Field(() => [RoleEnum])
  @IsIn(roles, { each: true })
  roles: Role[];

  @Field(() => [RoleEnum], {
    nullable: true,
    description: 'The roles that you last read. The mutation fails with "conflict" if they have changed since.',
  })
  @IsOptional()
  @IsIn(roles, { each: true })
  basedOn?: Role[] | null;
}

@InputType()
export class RenameMemberInput extends MemberInput {
  @Field()
  @IsText(120)
  name: string;
}

@InputType()
export class PasswordResetInput extends MemberInput {
  @Field({
    defaultValue: false,
    description: 'Whether using the link also removes the member’s passkeys, for example because they were lost.',
  })
  @IsBoolean()
  removesPasskeys: boolean;
}
