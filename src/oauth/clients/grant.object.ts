import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Paginated } from '../../platform/graphql/connection.js';
import type { NamedGrant } from '../grants.sql.js';
import { LiveGrantObject } from './live-grant.object.js';

@ObjectType({ description: 'An authorization from a member to a product. It lives while one of its tokens is valid.' })
export class OauthGrant extends LiveGrantObject implements NamedGrant {
  @Field(() => ID, { description: 'An OAuth client, or "countersign-cli" for a terminal of the member.' })
  clientId: string;

  @Field(() => GraphQLISODateTime)
  grantedAt: Date;
}

@ObjectType()
export class OauthGrantConnection extends Paginated(OauthGrant) {}
