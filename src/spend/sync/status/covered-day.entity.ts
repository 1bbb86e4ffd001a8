import { Field, GraphQLISODateTime, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { Day } from '../../../platform/time/day.js';

export const dayStates = { pending: 'pending', provisional: 'provisional', final: 'final', lost: 'lost' } as const;
registerEnumType(dayStates, {
  name: 'SpendDayState',
  description: 'How reliable the data of a day is.',
  valuesMap: {
    pending: { description: 'Not synced yet.' },
    provisional: { description: 'Synced. The vendor may still correct it.' },
    final: { description: 'Synced after the day was complete. The vendor no longer serves it.' },
    lost: { description: 'Never synced completely. The vendor no longer serves it.' },
  },
});

@ObjectType({ description: 'One of a vendor’s two data streams on one day.' })
export class SpendStreamDay {
  @Field(() => dayStates)
  state: keyof typeof dayStates;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the stored data was requested from the vendor.',
  })
  pulledAt: Date | null;

  @Field(() => Int, { nullable: true, description: 'Rows of this day. Null: not synced.' })
  rows: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The vendor’s own count: users in the whole response, or events of the day.',
  })
  vendorTotal: number | null;

  @Field(() => Int, { description: 'Values that could not be read and count as unknown.' })
  faultyRows: number;

  @Field(() => Int, { description: 'How often unknown fields occurred.' })
  unknownFields: number;

  @Field(() => String, {
    nullable: true,
    description: 'Issues with the data, or why the last sync of this day failed.',
  })
  reason: string | null;
}

@ObjectType({ description: 'Coverage of one UTC day of a connection.' })
export class SpendCoveredDay {
  @Field(() => String)
  day: Day;

  @Field(() => Int, { description: 'How often the stored data of this day changed. 0: no data.' })
  revision: number;

  @Field(() => SpendStreamDay, { description: 'Counts per person.' })
  usage: SpendStreamDay;

  @Field(() => SpendStreamDay, { description: 'Tokens and money.' })
  events: SpendStreamDay;
}

@ObjectType({ description: 'A change of the stored data of a day. Amounts are in cents and exact.' })
export class SpendRevision {
  @Field(() => String)
  day: Day;

  @Field(() => Int, { description: '1 is the first sync.' })
  revision: number;

  @Field(() => GraphQLISODateTime)
  recordedAt: Date;

  @Field(() => Int, { description: 'People who had no row before.' })
  rowsAdded: number;

  @Field(() => Int)
  rowsChanged: number;

  @Field(() => Int)
  rowsRemoved: number;

  @Field(() => String, { nullable: true })
  chargedCentsBefore: string | null;

  @Field(() => String, { nullable: true })
  chargedCentsAfter: string | null;
}
