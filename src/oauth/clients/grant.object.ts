import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Paginated } from '../../platform/graphql/connection.js';
import type { NamedGrant } from '../grants.sql.js';
import { type ClientScope, ClientScopeEnum } from '../client.entity.js';

@ObjectType({ description: 'An authorization from a member to a product. It lives while one of its tokens is valid.' })
export class OauthGrant implements NamedGrant {
  @Field(() => ID)
  id: string;

  @Field(() => ID)
  memberId: string;

  @Field()
  memberName: string;

  @Field()
  memberEmail: string;

  @Field(() => ID, { description: 'An OAuth client, or "countersign-cli" for a terminal of the member.' })
  clientId: string;

  @Field(() => [ClientScopeEnum])
  scopes: ClientScope[];

  @Field(() => GraphQLISODateTime)
  grantedAt: Date;

  @Field(() => GraphQLISODateTime, { description: 'When its last token was issued.' })
  usedAt: Date;

  @Field(() => GraphQLISODateTime, { description: 'When its last token expires, unless it is refreshed.' })
  expiresAt: Date;
}

@ObjectType()
export class OauthGrantConnection extends Paginated(OauthGrant) {}
