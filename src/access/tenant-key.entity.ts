import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const keyScopes = ['documents', 'estate'] as const;
export type KeyScope = (typeof keyScopes)[number];

export const KeyScopeEnum = { documents: 'documents', estate: 'estate' } as const;
registerEnumType(KeyScopeEnum, {
  name: 'TenantKeyScope',
  valuesMap: {
    documents: { description: 'Pushes documents to a connection of the kind "documents".' },
    estate: { description: 'Uploads what a machine found of the estate.' },
  },
});

@ObjectType({ description: 'Lets the organization’s machines push what they know. It reads nothing.' })
@Entity('tenant_keys')
export class TenantKey {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field()
  @Column('text')
  name: string;

  @Field(() => [KeyScopeEnum])
  @Column('text', { array: true })
  scopes: KeyScope[];

  @Column('bytea', { select: false })
  tokenHash: Buffer;

  @Field({ description: 'How it begins, to recognise it by.' })
  @Column('text')
  hint: string;

  @Field(() => ID)
  @Column('uuid')
  createdBy: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Never, where it is null.' })
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'The last use, to the minute.' })
  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;
}
