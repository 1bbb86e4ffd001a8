import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const proposalStates = { open: 'open', drafted: 'drafted', dismissed: 'dismissed' } as const;
export type ProposalState = keyof typeof proposalStates;
registerEnumType(proposalStates, {
  name: 'PermitProposalState',
  valuesMap: {
    open: { description: 'It waits for an administrator.' },
    drafted: { description: 'It was added to the policy draft. Ten further approvals suggest it again.' },
    dismissed: { description: 'It is not suggested again.' },
  },
});

const proposalPrincipalKinds = { agent: 'agent', member: 'member' } as const;
export type ProposalPrincipalKind = keyof typeof proposalPrincipalKinds;
registerEnumType(proposalPrincipalKinds, { name: 'PermitProposalPrincipalKind' });

@ObjectType({
  description:
    'A permit for one exact call, suggested because ten approvals of this call in a row were given. It has no effect until someone publishes it.',
})
@Entity('permit_proposals')
export class PermitProposal {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID)
  @Column('uuid')
  configurationId: string;

  @Field()
  @Column('text')
  tool: string;

  @Field(() => proposalPrincipalKinds)
  @Column('text')
  principalKind: ProposalPrincipalKind;

  @Field(() => ID, { description: 'The agent or member who requested the calls.' })
  @Column('uuid')
  principalId: string;

  @Column('bytea')
  argumentsHash: Buffer;

  /** The definition of the tool that the approvers saw. */
  @Column('text')
  definitionHash: string;

  @Field({ description: 'The approval step that the calls required.' })
  @Column('text')
  stepName: string;

  /** Newest first. */
  @Column('uuid', { array: true })
  approvalIds: string[];

  @Column('boolean')
  isSameSurface: boolean;

  @Column('boolean')
  isUntainted: boolean;

  @Field(() => proposalStates)
  @Column('text')
  state: ProposalState;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it was added to the draft or dismissed.' })
  @Column('timestamptz', { nullable: true })
  closedAt: Date | null;

  @Column('uuid', { nullable: true })
  closedBy: string | null;

  @Field(() => String, { nullable: true, description: 'Who added it to the draft or dismissed it.' })
  @Column('text', { nullable: true })
  closer: string | null;
}
