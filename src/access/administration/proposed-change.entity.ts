import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type AdministrationArea, administrationAreas } from './administration-area.js';

export const proposedChangeStates = {
  open: 'open',
  confirmed: 'confirmed',
  declined: 'declined',
  withdrawn: 'withdrawn',
  outdated: 'outdated',
  expired: 'expired',
} as const;
export type ProposedChangeState = keyof typeof proposedChangeStates;
registerEnumType(proposedChangeStates, {
  name: 'ProposedChangeState',
  valuesMap: {
    open: { description: 'Waits for a second administrator. Nothing has changed.' },
    confirmed: { description: 'A second administrator confirmed it, and it was applied.' },
    declined: { description: 'Another administrator declined it.' },
    withdrawn: { description: 'The administrator who proposed it withdrew it.' },
    outdated: { description: 'What it was based on has changed, so it was not applied.' },
    expired: { description: 'No one decided in time.' },
  },
});

@ObjectType({ description: 'One difference of a proposed change. Credentials are never shown.' })
export class ChangedField {
  @Field()
  label: string;

  @Field(() => String, { nullable: true, description: 'Null: nothing.' })
  before: string | null;

  @Field(() => String, { nullable: true, description: 'Null: nothing.' })
  after: string | null;
}

@ObjectType({ description: 'A change that takes effect when a second administrator confirms it.' })
@Entity('proposed_changes')
export class ProposedChange {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field({ description: 'What would be done: "policy.publish".' })
  @Column('text')
  kind: string;

  @Field(() => [administrationAreas], {
    description:
      'Why it needs a second administrator. Empty: it always needs one, or "isByToken" is true and the proposer may confirm it.',
  })
  @Column('text', { array: true })
  areas: AdministrationArea[];

  @Field()
  @Column('text')
  title: string;

  @Column('text')
  subjectType: string;

  @Column('text')
  subjectId: string;

  @Column('text', { nullable: true })
  subjectName: string | null;

  @Field(() => [ChangedField], { description: 'The differences, as they were when the change was proposed.' })
  @Column('jsonb')
  fields: ChangedField[];

  /** The hash of everything that was shown, and of the state that it was based on. */
  @Column('bytea')
  basis: Buffer;

  /** Sealed. Null once the change is closed. */
  @Column('bytea', { nullable: true, select: false })
  input: Buffer | null;

  @Field(() => String, { nullable: true, description: 'Why it was proposed.' })
  @Column('text', { nullable: true })
  reason: string | null;

  @Field(() => proposedChangeStates)
  @Column('text')
  state: ProposedChangeState;

  @Field(() => ID)
  @Column('uuid')
  proposedBy: string;

  @Field({
    description: 'A program proposed it, with a token of the proposer. Nobody has confirmed it in a session yet.',
  })
  @Column('boolean', { name: 'by_token' })
  isByToken: boolean;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  proposedAt: Date;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  expiresAt: Date;

  @Field(() => ID, { nullable: true, description: 'Who confirmed, declined or withdrew it.' })
  @Column('uuid', { nullable: true })
  decidedBy: string | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;

  @Field(() => String, { nullable: true, description: 'Why it was declined, or why it is outdated.' })
  @Column('text', { nullable: true })
  decisionNote: string | null;
}
