import { Field, GraphQLISODateTime, ObjectType } from '@nestjs/graphql';
import { Paginated } from '../../platform/graphql/connection.js';
import type { ConnectedDeviceRow } from './connected-devices.service.js';
import { LiveGrantObject } from './live-grant.object.js';

@ObjectType({ description: 'A terminal that a member connected. It stays connected while one of its tokens is valid.' })
export class ConnectedDevice extends LiveGrantObject implements ConnectedDeviceRow {
  @Field(() => String, { nullable: true, description: 'As the program reported itself when it connected.' })
  program: string | null;

  @Field(() => String, { nullable: true, description: 'The network address from which it connected.' })
  address: string | null;

  @Field(() => GraphQLISODateTime)
  connectedAt: Date;
}

@ObjectType()
export class ConnectedDeviceConnection extends Paginated(ConnectedDevice) {}
