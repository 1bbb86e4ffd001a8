import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { JsonScalar } from '../../../platform/graphql/json.scalar.js';
import { Paginated } from '../../../platform/graphql/connection.js';
import type { Day } from '../../../platform/time/day.js';
import type { SyncRunKind } from '../sync-plan.js';

const kinds = { hourly: 'hourly', daily: 'daily', weekly: 'weekly', backfill: 'backfill', asked: 'asked' } as const;
registerEnumType(kinds, {
  name: 'SpendRunKind',
  valuesMap: {
    hourly: { description: 'Today and yesterday, at the cadence of the connector.' },
    daily: { description: 'The last three days, once a day.' },
    weekly: { description: 'Every day that the vendor serves, once a week.' },
    backfill: { description: 'Missing days: of a new connection, or after a period without syncs.' },
    asked: { description: 'Requested by a person ("syncSpend").' },
  },
});
const states = { running: 'running', done: 'done', failed: 'failed' } as const;
registerEnumType(states, {
  name: 'SpendRunState',
  valuesMap: {
    running: { description: 'In progress. After an interruption it resumes automatically.' },
    failed: { description: 'Stopped because a person has to act. "detail" says how.' },
  },
});

@ObjectType({ description: 'One sync run over a range of days, newest day first.' })
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

  @Field(() => Int, { description: 'Days that were synced completely.' })
  daysDone: number;

  @Field(() => Int)
  daysTotal: number;

  @Field(() => Int, { description: 'Synced days whose data changed.' })
  daysChanged: number;

  @Field(() => Int, { description: 'Requests sent to the vendor.' })
  requests: number;

  @Field(() => Int, { description: 'Rows read from both streams.' })
  rows: number;

  @Field(() => JsonScalar, { description: 'Unknown fields in the responses, and how often each occurred.' })
  unknownFields: Record<string, number>;

  @Field(() => String, { nullable: true, description: 'Error code.' })
  code: string | null;

  @Field(() => String, { nullable: true, description: 'Why it failed and what to do.' })
  detail: string | null;

  @Field(() => GraphQLISODateTime)
  startedAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true })
  endedAt: Date | null;
}

@ObjectType()
export class SpendRunConnection extends Paginated(SpendRun) {}

@ObjectType({
  description:
    'Compares the sum of synced charges with the vendor’s own total for one billing cycle. Amounts are in cents and exact.',
})
export class SpendDrift {
  @Field(() => String, { description: 'The first day of the cycle.' })
  cycleStart: Day;

  @Field(() => String, { description: 'The vendor’s total for all users, including included usage.' })
  vendorCents: string;

  @Field(() => String, { description: 'The sum of all synced charges since that day.' })
  ourCents: string;

  @Field(() => String, { description: '"ourCents" minus "vendorCents".' })
  differenceCents: string;

  @Field(() => Int, { description: 'Days of the cycle that are not synced or lost. They can explain a difference.' })
  missingDays: number;

  @Field(() => GraphQLISODateTime, { description: 'When the total was requested from the vendor.' })
  askedAt: Date;
}

@ObjectType({ description: 'Sync status of the usage of one connection.' })
export class SpendFeed {
  @Field(() => ID)
  connectionId: string;

  @Field({ description: 'Display name.' })
  connectionName: string;

  @Field({ description: 'Name of the vendor.' })
  vendor: string;

  @Field({ description: 'A sync is in progress.' })
  isSyncing: boolean;

  @Field(() => GraphQLISODateTime, { description: 'When the next sync is due.' })
  nextAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'No requests are sent to the vendor until then.' })
  waitUntil: Date | null;

  @Field(() => String, { nullable: true, description: 'Error code of the last sync, if it failed.' })
  trouble: string | null;

  @Field(() => String, { nullable: true, description: 'Why the last sync failed and what to do.' })
  errorDetail: string | null;

  @Field(() => Int, { description: 'Sync attempts that failed in a row. The next attempt is due at "nextAt".' })
  failedAttempts: number;

  @Field(() => Int, { nullable: true, description: 'Seats that the vendor lists. Null: not synced yet.' })
  seats: number | null;

  @Field(() => String, { nullable: true, description: 'The first day with data.' })
  dataSince: Day | null;

  @Field(() => [SpendRun], { description: 'Runs in progress, the most urgent first.' })
  open: SpendRun[];

  @Field(() => SpendDrift, { nullable: true, description: 'Null if the vendor provides no total.' })
  drift: SpendDrift | null;
}
