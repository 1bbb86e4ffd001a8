import { Field, ID, InputType } from '@nestjs/graphql';
import { ArrayMaxSize, IsBoolean, IsEnum, IsOptional, IsUUID, Length, Matches } from 'class-validator';
import { IsText } from '../platform/graphql/is-text.decorator.js';
import { type ChannelKind, channelKinds } from './notification-channel.entity.js';
import { type NotificationKind, notificationKinds } from './notification-kinds.js';

const maxKinds = 20;

@InputType()
export class UpdateNotificationPreferencesInput {
  @Field(() => [notificationKinds])
  @ArrayMaxSize(maxKinds)
  @IsEnum(notificationKinds, { each: true })
  email: NotificationKind[];

  @Field(() => [notificationKinds])
  @ArrayMaxSize(maxKinds)
  @IsEnum(notificationKinds, { each: true })
  directMessage: NotificationKind[];
}

@InputType()
export class CreateNotificationChannelInput {
  @Field()
  @IsText(100)
  name: string;

  @Field(() => channelKinds)
  @IsEnum(channelKinds)
  kind: ChannelKind;

  @Field(() => [notificationKinds])
  @ArrayMaxSize(maxKinds)
  @IsEnum(notificationKinds, { each: true })
  kinds: NotificationKind[];

  @Field(() => [String], { defaultValue: [], description: 'Only approvals of these steps; empty for all steps.' })
  @ArrayMaxSize(50)
  @Length(1, 100, { each: true })
  stepNames: string[];

  @Field(() => String, { nullable: true, description: 'The URL of a webhook. Stored sealed.' })
  @IsOptional()
  @Length(1, 2000)
  address?: string | null;

  @Field(() => String, { nullable: true, description: 'The bot token of a Slack app. Stored sealed.' })
  @IsOptional()
  @Length(1, 500)
  token?: string | null;

  @Field(() => String, { nullable: true, description: 'The id or name of the channel, for a Slack app.' })
  @IsOptional()
  @Matches(/^#?[\w.-]{1,80}$/)
  slackChannel?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The signing secret of a Slack app in which members can decide. Stored sealed.',
  })
  @IsOptional()
  @Length(1, 100)
  slackSigningSecret?: string | null;

  @Field({ defaultValue: false, description: 'Members can choose direct messages from this Slack app.' })
  @IsBoolean()
  sendsDirectMessages: boolean;
}

@InputType()
export class RemoveNotificationChannelInput {
  @Field(() => ID)
  @IsUUID()
  channelId: string;
}

@InputType()
export class ResendNotificationInput {
  @Field(() => ID)
  @IsUUID()
  id: string;
}
