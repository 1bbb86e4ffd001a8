import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Paginated } from '../../platform/graphql/connection.js';
import type { Day } from '../usage-row.js';

@ObjectType({ description: 'Paid seats, and how many of them are used.' })
export class SpendSeats {
  @Field(() => Int)
  seats: number;

  @Field(() => Int, { description: 'Used within the days that were asked for.' })
  active: number;

  @Field(() => Int, { description: 'Not used within them; those that never were included.' })
  idle: number;

  @Field(() => Int, { description: 'Never used on any day that is known.' })
  neverUsed: number;
}

@ObjectType({ description: 'A paid seat that nobody has used lately.' })
export class SpendIdleSeat {
  @Field(() => Int, { description: 'Whom the vendor named.' })
  identityId: number;

  @Field(() => ID)
  connectionId: string;

  @Field(() => ID, { nullable: true })
  personId: string | null;

  @Field(() => ID, { nullable: true })
  groupId: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'For people a pseudonym, where the organization shows these.',
  })
  name: string | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Since when the vendor counts the seat, as far as is known.',
  })
  seatSince: Date | null;

  @Field(() => String, { nullable: true, description: 'The last day of use; null: never, on any day that is known.' })
  lastActive: Day | null;
}

@ObjectType()
export class SpendIdleSeatConnection extends Paginated(SpendIdleSeat) {}
