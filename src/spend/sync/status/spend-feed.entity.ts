import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { JsonScalar } from '../../../platform/graphql/json.scalar.js';
import { Paginated } from '../../../platform/graphql/connection.js';
import type { Day } from '../../usage-row.js';
import type { SyncRunKind } from '../sync-plan.js';

const kinds = { hourly: 'hourly', daily: 'daily', weekly: 'weekly', backfill: 'backfill', asked: 'asked' } as const;
registerEnumType(kinds, {
  name: 'SpendRunKind',
  valuesMap: {
    hourly: { description: 'Today and yesterday, each hour.' },
    daily: { description: 'The last three days, once a day.' },
    weekly: { description: 'Every day that the vendor can be asked for, once a week.' },
    backfill: { description: 'Days that are missing: of a new connection, or after a time without pulls.' },
    asked: { description: 'Asked for by a person ("syncSpend").' },
  },
});
const states = { running: 'running', done: 'done', failed: 'failed' } as const;
registerEnumType(states, {
  name: 'SpendRunState',
  valuesMap: {
    running: { description: 'Begun, and not yet at its end; it goes on by itself where it was interrupted.' },
    failed: { description: 'Ended because a person has to do something; "detail" says what.' },
  },
});

@ObjectType({ description: 'One pull of a range of days, newest day first.' })
export class SpendRun {
  @Field(() => ID)
  id: string;

  @Field(() => kinds)
  kind: SyncRunKind;

  @Field(() => states)
  state: keyof typeof states;

  @Field(() => String)
  fromDay: Day;

  @Field(() => String)
  toDay: Day;

  @Field(() => Int, { description: 'Days that were read, each as a whole.' })
  daysDone: number;

  @Field(() => Int)
  daysTotal: number;

  @Field(() => Int, { description: 'Of the days that were read, those that are not what they were.' })
  daysChanged: number;

  @Field(() => Int, { description: 'Requests sent to the vendor.' })
  requests: number;

  @Field(() => Int, { description: 'Rows that were read, of both streams.' })
  rows: number;

  @Field(() => JsonScalar, {
    description: 'Fields in the answers that nothing is known of, and how often each was met.',
  })
  unknownFields: Record<string, number>;

  @Field(() => String, { nullable: true, description: 'Why it failed, for programs.' })
  code: string | null;

  @Field(() => String, { nullable: true, description: 'Why it failed and what to do, for people.' })
  detail: string | null;

  @Field(() => GraphQLISODateTime)
  startedAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true })
  endedAt: Date | null;
}

@ObjectType()
export class SpendRunConnection extends Paginated(SpendRun) {}

@ObjectType({ description: 'Our sum beside the vendor’s own, of one billing cycle. Amounts in cents, exact.' })
export class SpendDrift {
  @Field(() => String, { description: 'The first day of the cycle.' })
  cycleStart: Day;

  @Field(() => String, { description: 'What the vendor says all of you have used, what is included as well.' })
  vendorCents: string;

  @Field(() => String, { description: 'The sum of all charges that were read since that day.' })
  ourCents: string;

  @Field(() => String, { description: 'Ours less the vendor’s.' })
  differenceCents: string;

  @Field(() => Int, { description: 'Days of the cycle that are not read, or lost: a reason for a difference.' })
  missingDays: number;

  @Field(() => GraphQLISODateTime, { description: 'When the vendor was asked.' })
  askedAt: Date;
}

@ObjectType({ description: 'How usage comes in through one connection.' })
export class SpendFeed {
  @Field(() => ID)
  connectionId: string;

  @Field({ description: 'For people.' })
  connectionName: string;

  @Field({ description: 'Something is being pulled at the moment.' })
  isSyncing: boolean;

  @Field(() => GraphQLISODateTime, { description: 'When something is due next.' })
  nextAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Until then the vendor is not asked.' })
  waitUntil: Date | null;

  @Field(() => String, { nullable: true, description: 'Why the last pull did not come to its end, for programs.' })
  trouble: string | null;

  @Field(() => String, { nullable: true, description: 'The same for people, and what to do.' })
  errorDetail: string | null;

  @Field(() => Int, { description: 'Sync attempts that failed in a row. The next attempt is due at "nextAt".' })
  failedAttempts: number;

  @Field(() => Int, { nullable: true, description: 'Seats that the vendor lists. Null: not asked yet.' })
  seats: number | null;

  @Field(() => String, { nullable: true, description: 'The first day that anything is known of.' })
  dataSince: Day | null;

  @Field(() => [SpendRun], { description: 'Runs that are not at their end, the most urgent first.' })
  open: SpendRun[];

  @Field(() => SpendDrift, { nullable: true, description: 'Null where the vendor tells no total.' })
  drift: SpendDrift | null;
}
