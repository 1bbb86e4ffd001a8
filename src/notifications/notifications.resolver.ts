import { Args, Field, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { NotificationChannel } from './notification-channel.entity.js';
import { NotificationChannelsService } from './notification-channels.service.js';
import { NotificationDelivery } from './notification-delivery.entity.js';
import { NotificationDeliveryService } from './notification-delivery.service.js';
import { notificationKinds, type NotificationKind } from './notification-kinds.js';
import { NotificationPreferencesService } from './notification-preferences.service.js';
import { NotificationRecipientsService } from './notification-recipients.service.js';
import {
  CreateNotificationChannelInput,
  RemoveNotificationChannelInput,
  ResendNotificationInput,
  UpdateNotificationPreferencesInput,
} from './notifications.input.js';

@ObjectType({ description: 'What reaches a member where.' })
export class NotificationPreferences {
  @Field(() => [notificationKinds])
  email: NotificationKind[];

  @Field(() => [notificationKinds], { description: 'By the Slack app of the organization.' })
  directMessage: NotificationKind[];

  @Field({ description: 'False: the operator has not configured an SMTP server.' })
  emailAvailable: boolean;

  @Field({ description: 'False: no Slack app of the organization sends direct messages.' })
  directMessageAvailable: boolean;
}

@ObjectType()
export class CreatedNotificationChannel {
  @Field(() => NotificationChannel)
  channel: NotificationChannel;

  @Field(() => String, { nullable: true, description: 'Verifies the requests of a signed webhook. Shown only once.' })
  signingSecret: string | null;
}

@Resolver(() => NotificationDelivery)
@Authenticate('session', 'admin-token')
export class NotificationsResolver {
  constructor(
    private readonly preferences: NotificationPreferencesService,
    private readonly channels: NotificationChannelsService,
    private readonly deliveries: NotificationDeliveryService,
    private readonly recipients: NotificationRecipientsService,
  ) {}

  @Query(() => NotificationPreferences, { description: 'Your own. Requires a session.' })
  @Allow()
  notificationPreferences(@CurrentPrincipal() principal: Principal) {
    return this.preferences.get(principal);
  }

  @Mutation(() => NotificationPreferences)
  @Allow()
  updateNotificationPreferences(
    @CurrentPrincipal() principal: Principal,
    @Args('input') input: UpdateNotificationPreferencesInput,
  ) {
    return this.preferences.update(principal, input);
  }

  @Query(() => [NotificationChannel])
  @Allow('organization:manage')
  notificationChannels(@CurrentPrincipal() principal: Principal) {
    return this.channels.list(principal);
  }

  @Mutation(() => CreatedNotificationChannel)
  @Allow('organization:manage')
  createNotificationChannel(
    @CurrentPrincipal() principal: Principal,
    @Args('input') input: CreateNotificationChannelInput,
  ) {
    return this.channels.create(principal, input);
  }

  @Mutation(() => NotificationChannel, { description: 'Messages that wait for the channel are not sent.' })
  @Allow('organization:manage')
  removeNotificationChannel(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { channelId }: RemoveNotificationChannelInput,
  ) {
    return this.channels.remove(principal, channelId);
  }

  @Query(() => [NotificationDelivery], { description: 'The latest messages that could not be delivered.' })
  @Allow('organization:manage')
  parkedNotifications(@CurrentPrincipal() principal: Principal) {
    return this.deliveries.listParked(principal);
  }

  @Mutation(() => NotificationDelivery, { description: 'Sends a parked message again.' })
  @Allow('organization:manage')
  resendNotification(@CurrentPrincipal() principal: Principal, @Args('input') { id }: ResendNotificationInput) {
    return this.deliveries.resend(principal, id);
  }

  @ResolveField('recipient', () => String, { description: 'The channel or the address of the member.' })
  recipient(@Parent() delivery: NotificationDelivery) {
    return this.recipients.nameOf(delivery);
  }
}
