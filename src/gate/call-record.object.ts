import { Field, GraphQLISODateTime, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { AuditEvent } from '../audit/audit-event.entity.js';
import type { ResultNotice } from '../connections/tools.service.js';

/* What the ledger does not hold in its rows: the history of a call, and what was found in its result. */

@ObjectType({ description: 'A step in the life of a tool call.' })
export class ToolCallEvent {
  @Field(() => GraphQLISODateTime)
  at: Date;

  @Field({
    description:
      '"requested", "edited", "denied", "started", "succeeded", "failed", "unsettled", "settled" or "replayed".',
  })
  kind: string;

  @Field(() => Int, { nullable: true, description: 'The attempt that it belongs to.' })
  attempt: number | null;

  @Field(() => Int, { nullable: true, description: 'How long the attempt took.' })
  milliseconds: number | null;

  @Field(() => String, { nullable: true, description: 'Who caused it.' })
  actorName: string | null;
}

export function toCallEvent({ at, kind, detail, actor }: AuditEvent): ToolCallEvent {
  const { attempt, ms } = (detail ?? {}) as { attempt?: number; ms?: number };
  const { name } = (actor ?? {}) as { name?: string };
  return {
    at,
    kind: kind.slice('call.'.length),
    attempt: attempt ?? null,
    milliseconds: ms ?? null,
    actorName: name ?? null,
  };
}

const noticeActions = { marked: 'marked', redacted: 'redacted', withheld: 'withheld' } as const;
registerEnumType(noticeActions, {
  name: 'ResultNoticeAction',
  valuesMap: {
    marked: { description: 'The result was passed on with a note.' },
    redacted: { description: 'Each occurrence was replaced.' },
    withheld: { description: 'The call was executed, and its result was withheld.' },
  },
});

@ObjectType()
export class ResultFinding {
  @Field({
    description:
      '"secret", "protected_field", "email", "phone", "iban", "card", "oversize", or "unchecked" if the result could not be searched.',
  })
  kind: string;

  @Field(() => Int, { description: 'How many different values.' })
  count: number;
}

@ObjectType('ResultNotice')
export class ResultNoticeType {
  @Field(() => noticeActions)
  action: ResultNotice['action'];

  @Field(() => [ResultFinding])
  found: ResultFinding[];
}

export const toNoticeType = ({ action, found }: ResultNotice): ResultNoticeType => ({
  action,
  found: Object.entries(found).map(([kind, count = 0]) => ({ kind, count })),
});
