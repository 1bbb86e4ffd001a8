import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A message on which members can decide, and exactly what it shows. */
@Entity('slack_decision_messages')
export class SlackDecisionMessage {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  deliveryId: string;

  @Column('uuid')
  approvalId: string;

  /** The notification channel, which has the token. */
  @Column('uuid')
  channelId: string;

  /** The recipient of a direct message. */
  @Column('uuid', { nullable: true })
  memberId: string | null;

  @Column('text')
  slackChannelId: string;

  /** Slack's id of the message in its channel. */
  @Column('text')
  ts: string;

  @Column('text')
  argumentsHash: string;

  @Column('text')
  definitionHash: string;

  /** Of everything that the message shows. Null: a message from before it was stored. */
  @Column('text', { nullable: true })
  contentHash: string | null;

  /** The app that posted the message, as Slack reports it. Null: a message from before it was stored. */
  @Column('text', { nullable: true })
  slackAppId: string | null;

  /** The buttons were removed. */
  @Column('timestamptz', { nullable: true })
  closedAt: Date | null;
}
