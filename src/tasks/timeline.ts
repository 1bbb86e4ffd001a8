import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import type { TranscriptItem } from '../agent/agent-model.port.js';
import { TaskStateName, type TaskState, type TaskStatus } from './task.entity.js';

@ObjectType({ description: 'A call of a turn, or its outcome.' })
export class TimelineCall {
  @Field({ description: 'Identifies the call within the task; a result has the ref of its call.' })
  ref: string;

  @Field(() => String, { nullable: true })
  tool?: string;

  @Field(() => ID, { nullable: true, description: 'The id of the tool call.' })
  callId?: string;

  @Field(() => String, { nullable: true, description: 'succeeded, denied, failed or unsettled.' })
  outcome?: string;

  @Field(() => String, { nullable: true })
  reason?: string;
}

@ObjectType({ description: 'An entry in the history of a task.' })
export class TimelineEntry {
  @Field(() => GraphQLISODateTime)
  at: Date;

  @Field({ description: 'state, message, turn or result.' })
  kind: string;

  @Field(() => TaskStateName, { nullable: true })
  state?: TaskState;

  @Field(() => Int, { nullable: true, description: 'The number of the event, as in streams.' })
  number?: number;

  @Field(() => String, { nullable: true })
  text?: string;

  @Field(() => [TimelineCall])
  calls: TimelineCall[];
}

export const stateEntry = (at: Date, number: number, { state, message, error }: TaskStatus): TimelineEntry => ({
  at,
  kind: 'state',
  state,
  number,
  text: error ? `${error.code}: ${error.detail}` : message?.parts.map((part) => part.text).join('\n'),
  calls: [],
});

/** Omits arguments, because they require permission to read the ledger. */
export function itemEntry(at: Date, item: TranscriptItem): TimelineEntry {
  switch (item.kind) {
    case 'message':
      return {
        at,
        kind: 'message',
        text: item.parts.map((part) => ('text' in part ? part.text : '[data]')).join('\n'),
        calls: [],
      };
    case 'turn':
      return {
        at,
        kind: 'turn',
        text: item.question ?? item.text,
        calls: item.calls.map(({ ref, tool }) => ({ ref, tool })),
      };
    case 'result': {
      const { callId, state, code, reason } = item.outcome;
      return { at, kind: 'result', calls: [{ ref: item.ref, callId, outcome: state, reason: reason ?? code }] };
    }
  }
}
