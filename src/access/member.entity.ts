import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Role, roles } from '../principal/permissions.js';
import { Group } from './group.entity.js';

export const memberStatuses = ['active', 'suspended', 'removed'] as const;
export type MemberStatus = (typeof memberStatuses)[number];

const asEnum = <T extends string>(values: readonly T[]) =>
  Object.fromEntries(values.map((value) => [value, value])) as Record<T, T>;
export const RoleEnum = asEnum(roles);
export const MemberStatusEnum = asEnum(memberStatuses);

registerEnumType(RoleEnum, {
  name: 'Role',
  description: 'Permissions of several roles add up.',
  valuesMap: {
    admin: { description: 'Administers the organization.' },
    auditor: { description: 'Reads the audit log, policies, and the arguments of tool calls.' },
    analyst: {
      description: 'Reads spend and estate, and individual usage in the groups that an administrator selects.',
    },
    member: { description: 'Uses what the member’s groups may use. Every member has this role.' },
  },
});
registerEnumType(MemberStatusEnum, { name: 'MemberStatus' });

@ObjectType({
  description: 'A person in an organization. The organization and the email address identify the account.',
})
@Entity('members')
export class Member {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field({ description: 'In lower case.' })
  @Column('text')
  email: string;

  @Field()
  @Column('text')
  name: string;

  @Field(() => [RoleEnum])
  @Column('text', { array: true })
  roles: Role[];

  @Field(() => MemberStatusEnum)
  @Column('text')
  status: MemberStatus;

  @Column('text', { nullable: true, select: false })
  passwordHash?: string | null;

  @Field(() => GraphQLISODateTime, { description: 'A member may not decide requests made before this time.' })
  @Column('timestamptz')
  joinedAt: Date;

  @Column('timestamptz', { nullable: true })
  adminSince: Date | null;

  @Column('boolean')
  wantsSecondFactor: boolean;

  /** Not a column; loaded with the member. */
  @Field(() => [Group])
  groups: Group[];
}
