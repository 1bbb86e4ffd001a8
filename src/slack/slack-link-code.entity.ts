import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A code that was sent to a Slack account to link it. */
@Entity('slack_link_codes')
export class SlackLinkCode {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  memberId: string;

  /** The session that requested the code. Others cannot use it. */
  @Column('uuid')
  sessionId: string;

  @Column('text')
  slackTeamId: string;

  @Column('text')
  slackUserId: string;

  @Column('bytea')
  codeHash: Buffer;

  @Column('int')
  attempts: number;

  @Column('timestamptz')
  expiresAt: Date;
}
