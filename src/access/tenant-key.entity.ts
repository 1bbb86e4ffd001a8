import { Field, GraphQLISODateTime, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity } from 'typeorm';
import { IssuedToken } from './issued-token.entity.js';

export const keyScopes = ['documents', 'estate'] as const;
export type KeyScope = (typeof keyScopes)[number];

export const KeyScopeEnum = { documents: 'documents', estate: 'estate' } as const;
registerEnumType(KeyScopeEnum, {
  name: 'TenantKeyScope',
  valuesMap: {
    documents: { description: 'Pushes documents to a connection of the connector "documents".' },
    estate: { description: 'Uploads the results of an estate scan.' },
  },
});

@ObjectType({ description: 'Lets machines of the organization push data. It grants no read access.' })
@Entity('tenant_keys')
export class TenantKey extends IssuedToken {
  @Field(() => [KeyScopeEnum])
  @Column('text', { array: true })
  scopes: KeyScope[];

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Null: never.' })
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;
}
