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
  description: 'Roles add up.',
  valuesMap: {
    admin: { description: 'Administers the organization.' },
    auditor: { description: 'Reads the audit log, policies, and the arguments of calls.' },
    analyst: {
      description: 'Reads spend and estate, and of the groups that an administrator names what single people use.',
    },
    member: { description: 'Uses what its groups may use. Everybody is one.' },
  },
});
registerEnumType(MemberStatusEnum, { name: 'MemberStatus' });

@ObjectType({ description: 'A person in an organization; an account is the organization and an e-mail address.' })
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
  passwordHash: string | null;

  @Field(() => GraphQLISODateTime, { description: 'Who joined after a request was made may not decide on it.' })
  @Column('timestamptz')
  joinedAt: Date;

  @Column('timestamptz', { nullable: true })
  adminSince: Date | null;

  @Column('boolean')
  wantsSecondFactor: boolean;

  /** Read with the member, not a column. */
  @Field(() => [Group])
  groups: Group[];
}
