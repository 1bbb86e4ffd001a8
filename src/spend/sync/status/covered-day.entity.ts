import { Field, GraphQLISODateTime, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { Day } from '../../usage-row.js';

export const dayStates = { pending: 'pending', provisional: 'provisional', final: 'final', lost: 'lost' } as const;
registerEnumType(dayStates, {
  name: 'SpendDayState',
  description: 'How far what is known of a day can be relied on.',
  valuesMap: {
    pending: { description: 'Not read yet.' },
    provisional: { description: 'Read; the vendor may still correct it.' },
    final: { description: 'Read when it was over, and the vendor cannot be asked any more.' },
    lost: { description: 'Never read as a whole, and the vendor cannot be asked any more.' },
  },
});

@ObjectType({ description: 'What one of a vendor’s two streams told of a day.' })
export class SpendStreamDay {
  @Field(() => dayStates)
  state: keyof typeof dayStates;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the vendor was asked for what is shown.' })
  pulledAt: Date | null;

  @Field(() => Int, { nullable: true, description: 'Rows of this day. Null: not read.' })
  rows: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'By the vendor’s own count: users of the whole answer, or events of the day.',
  })
  vendorTotal: number | null;

  @Field(() => Int, { description: 'Values that could not be read and count as not known.' })
  faultyRows: number;

  @Field(() => Int, { description: 'How often fields were met that nothing is known of.' })
  unknownFields: number;

  @Field(() => String, { nullable: true, description: 'What is odd about it, or why it could not be read again.' })
  reason: string | null;
}

@ObjectType({ description: 'What is known of one UTC day of a connection.' })
export class SpendCoveredDay {
  @Field(() => String)
  day: Day;

  @Field(() => Int, { description: 'How often what is known of it changed; 0 while nothing is.' })
  revision: number;

  @Field(() => SpendStreamDay, { description: 'Counts per person.' })
  usage: SpendStreamDay;

  @Field(() => SpendStreamDay, { description: 'Tokens and money.' })
  events: SpendStreamDay;
}

@ObjectType({ description: 'A change of what is known of a day. Amounts in cents, exact.' })
export class SpendRevision {
  @Field(() => String)
  day: Day;

  @Field(() => Int, { description: '1 is the first reading.' })
  revision: number;

  @Field(() => GraphQLISODateTime)
  recordedAt: Date;

  @Field(() => Int, { description: 'People who were not in it before.' })
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
