import { Field, GraphQLISODateTime, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity } from 'typeorm';
import { IssuedToken } from './issued-token.entity.js';

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
export class TenantKey extends IssuedToken {
  @Field(() => [KeyScopeEnum])
  @Column('text', { array: true })
  scopes: KeyScope[];

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Never, where it is null.' })
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;
}
