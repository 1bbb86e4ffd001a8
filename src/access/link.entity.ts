import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Role } from '../principal/permissions.js';
import { RoleEnum } from './member.entity.js';

export const linkKinds = ['setup', 'invitation', 'reset', 'sign-in'] as const;
export type LinkKind = (typeof linkKinds)[number];

export const LinkKindEnum = { setup: 'setup', invitation: 'invitation', reset: 'reset', signIn: 'sign-in' } as const;
registerEnumType(LinkKindEnum, { name: 'LinkKind' });

@ObjectType({
  description:
    'A single-use URL that lets its holder perform one action. Opening it changes nothing; submitting its form uses it.',
})
@Entity('links')
export class Link {
  /** For a set-up link: the id that the new tenant will get. */
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => LinkKindEnum)
  @Column('text')
  kind: LinkKind;

  @Column('bytea', { select: false })
  tokenHash: Buffer;

  @Field(() => ID, { nullable: true, description: 'The member whose password it resets, or whom it signs in.' })
  @Column('uuid', { nullable: true })
  memberId: string | null;

  @Field(() => String, { nullable: true, description: 'The invited email address.' })
  @Column('text', { nullable: true })
  email: string | null;

  @Field(() => String, { nullable: true, description: 'The name of the invited person, if one was entered.' })
  @Column('text', { nullable: true })
  name: string | null;

  @Field(() => [RoleEnum], { nullable: true, description: 'The roles that the invited person gets.' })
  @Column('text', { array: true, nullable: true })
  roles: Role[] | null;

  @Column('uuid', { array: true, nullable: true })
  groupIds: string[] | null;

  @Field({ description: 'Whether using it also removes the member’s passkeys.' })
  @Column('boolean')
  removesPasskeys: boolean;

  @Field(() => ID, { nullable: true })
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  expiresAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;
}
