import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { notificationKinds, type NotificationKind } from './notification-kinds.js';

export const channelKinds = {
  webhook: 'webhook',
  teams: 'teams',
  slack_webhook: 'slack_webhook',
  slack: 'slack',
} as const;
export type ChannelKind = keyof typeof channelKinds;
registerEnumType(channelKinds, {
  name: 'NotificationChannelKind',
  valuesMap: {
    webhook: { description: 'Requests signed according to Standard Webhooks.' },
    teams: { description: 'An incoming webhook of Microsoft Teams.' },
    slack_webhook: { description: 'An incoming webhook of Slack, or a compatible one.' },
    slack: { description: 'A Slack app with a bot token.' },
  },
});

@ObjectType({ description: 'A destination of notifications for many people.' })
@Entity('notification_channels')
export class NotificationChannel {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field()
  @Column('text')
  name: string;

  @Field(() => channelKinds)
  @Column('text')
  kind: ChannelKind;

  @Field(() => [notificationKinds], { description: 'The kinds of notifications that the channel receives.' })
  @Column('text', { array: true })
  kinds: NotificationKind[];

  @Field(() => [String], { description: 'Only approvals of these steps; empty for all steps.' })
  @Column('text', { array: true })
  stepNames: string[];

  @Field({ description: 'The host of a webhook, or the channel in Slack. The complete address is not shown again.' })
  @Column('text')
  target: string;

  @Field({ description: 'Members can choose to receive direct messages from this Slack app.' })
  @Column('boolean')
  sendsDirectMessages: boolean;

  @Column('bytea', { nullable: true })
  sealedAddress: Buffer | null;

  @Column('bytea', { nullable: true })
  sealedSecret: Buffer | null;

  /** Of a Slack app in which members can decide. */
  @Column('bytea', { nullable: true })
  sealedSigningSecret: Buffer | null;

  /** The workspace of such an app. */
  @Column('text', { nullable: true })
  slackTeamId: string | null;

  /** The member who entered the token and secrets. */
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;
}
