import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Paginated } from '../../platform/graphql/connection.js';
import { type ClientScope, ClientScopeEnum } from '../client.entity.js';
import type { ConnectedDeviceRow } from './connected-devices.service.js';

@ObjectType({ description: 'A terminal that a member connected. It stays connected while one of its tokens is valid.' })
export class ConnectedDevice implements ConnectedDeviceRow {
  @Field(() => ID)
  id: string;

  @Field(() => ID)
  memberId: string;

  @Field()
  memberName: string;

  @Field()
  memberEmail: string;

  @Field(() => String, { nullable: true, description: 'As the program reported itself when it connected.' })
  program: string | null;

  @Field(() => String, { nullable: true, description: 'The network address from which it connected.' })
  address: string | null;

  @Field(() => [ClientScopeEnum])
  scopes: ClientScope[];

  @Field(() => GraphQLISODateTime)
  connectedAt: Date;

  @Field(() => GraphQLISODateTime, { description: 'When its last token was issued.' })
  usedAt: Date;

  @Field(() => GraphQLISODateTime, { description: 'When its last token expires, unless it is refreshed.' })
  expiresAt: Date;
}

@ObjectType()
export class ConnectedDeviceConnection extends Paginated(ConnectedDevice) {}
