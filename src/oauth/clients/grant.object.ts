import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Paginated } from '../../platform/graphql/connection.js';
import type { NamedGrant } from '../grants.service.js';
import { type ClientScope, ClientScopeEnum } from './client.entity.js';

@ObjectType({ description: 'One authorization that a member gave a product, as long as a token of it could be used.' })
export class OauthGrant implements NamedGrant {
  @Field(() => ID)
  id: string;

  @Field(() => ID)
  memberId: string;

  @Field()
  memberName: string;

  @Field()
  memberEmail: string;

  @Field(() => ID, { description: 'An OAuth client, or "countersign-cli": a terminal of that member.' })
  clientId: string;

  @Field(() => [ClientScopeEnum])
  scopes: ClientScope[];

  @Field(() => GraphQLISODateTime)
  grantedAt: Date;

  @Field(() => GraphQLISODateTime, { description: 'When it was last given a token.' })
  usedAt: Date;

  @Field(() => GraphQLISODateTime, { description: 'When its last token ends, if it is not renewed.' })
  expiresAt: Date;
}

@ObjectType()
export class OauthGrantConnection extends Paginated(OauthGrant) {}
