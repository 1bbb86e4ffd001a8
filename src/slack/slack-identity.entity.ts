import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The Slack account of a member. */
@Entity('slack_identities')
export class SlackIdentity {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  memberId: string;

  @Column('text')
  slackTeamId: string;

  @Column('text')
  slackUserId: string;

  @Column('timestamptz')
  linkedAt: Date;
}
