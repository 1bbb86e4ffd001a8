import { Global, Module } from '@nestjs/common';
import { InteractiveMessageRegistry } from './interactive-message-registry.service.js';
import { NotificationChannelsService } from './notification-channels.service.js';
import { NotificationDeliveryService } from './notification-delivery.service.js';
import { NotificationIntakeService } from './notification-intake.service.js';
import { NotificationPreferencesService } from './notification-preferences.service.js';
import { NotificationRecipientsService } from './notification-recipients.service.js';
import { NotificationSourceRegistry } from './notification-source-registry.service.js';
import { ChangeNotificationsService } from './change-notifications.service.js';
import { NotificationsResolver } from './notifications.resolver.js';
import { EmailSenderService } from './senders/email-sender.service.js';
import { MessageSenderService } from './senders/message-sender.service.js';
import { SlackApiClient } from './slack-api-client.service.js';
import { SlackSecretHoldersService } from './slack-secret-holders.service.js';
import { SlackSenderService } from './senders/slack-sender.service.js';
import { WebhookSenderService } from './senders/webhook-sender.service.js';

/** Messages to people: by email, in chats and to webhooks. Global, because many modules explain their events here. */
@Global()
@Module({
  providers: [
    NotificationSourceRegistry,
    NotificationPreferencesService,
    NotificationChannelsService,
    NotificationIntakeService,
    NotificationDeliveryService,
    NotificationRecipientsService,
    EmailSenderService,
    SlackSenderService,
    SlackApiClient,
    SlackSecretHoldersService,
    ChangeNotificationsService,
    InteractiveMessageRegistry,
    WebhookSenderService,
    MessageSenderService,
    NotificationsResolver,
  ],
  exports: [
    NotificationSourceRegistry,
    NotificationChannelsService,
    InteractiveMessageRegistry,
    SlackApiClient,
    SlackSecretHoldersService,
  ],
})
export class NotificationsModule {}
