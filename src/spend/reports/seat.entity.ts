import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Paginated } from '../../platform/graphql/connection.js';
import type { Day } from '../../platform/time/day.js';

@ObjectType({ description: 'Number of paid seats, by use.' })
export class SpendSeats {
  @Field(() => Int)
  seats: number;

  @Field(() => Int, { description: 'Used within the requested days.' })
  active: number;

  @Field(() => Int, { description: 'Not used within the requested days, including never used seats.' })
  idle: number;

  @Field(() => Int, { description: 'Never used on any day with data.' })
  neverUsed: number;
}

@ObjectType({ description: 'A paid seat that was not used recently.' })
export class SpendIdleSeat {
  @Field(() => ID, { description: 'The vendor identity with the seat.' })
  identityId: string;

  @Field(() => ID)
  connectionId: string;

  @Field(() => ID, { nullable: true })
  personId: string | null;

  @Field(() => ID, { nullable: true })
  groupId: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'For people a pseudonym, if the organization uses pseudonyms.',
  })
  name: string | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the vendor first listed the seat, if known.',
  })
  seatSince: Date | null;

  @Field(() => String, { nullable: true, description: 'The last day of use. Null if never used on any day with data.' })
  lastActive: Day | null;
}

@ObjectType()
export class SpendIdleSeatConnection extends Paginated(SpendIdleSeat) {}
