import { Injectable } from '@nestjs/common';
import type { Member } from '../../access/member.entity.js';
import type { NotificationChannel } from '../notification-channel.entity.js';
import { NotificationChannelsService } from '../notification-channels.service.js';
import { InteractiveMessageRegistry } from '../interactive-message-registry.service.js';
import type { MessageItem, NotificationMessage } from '../notification-message.js';
import { EmailSenderService } from './email-sender.service.js';
import { SlackSenderService } from './slack-sender.service.js';
import { WebhookSenderService } from './webhook-sender.service.js';

/** Without a channel, the member receives an email. With a Slack app and a member, they receive a direct message. */
export interface MessageDestination {
  member: Member | null;
  channel: NotificationChannel | null;
}

/** Sends a message where it belongs. Rejects with `DeliveryFailure` if it was not accepted. */
@Injectable()
export class MessageSenderService {
  constructor(
    private readonly channels: NotificationChannelsService,
    private readonly emailSender: EmailSenderService,
    private readonly slackSender: SlackSenderService,
    private readonly webhookSender: WebhookSenderService,
    private readonly interactiveMessages: InteractiveMessageRegistry,
  ) {}

  async send(message: NotificationMessage, { member, channel }: MessageDestination): Promise<void> {
    if (!channel) return this.emailSender.send(member!.email, message);
    const { address, secret } = this.channels.open(channel);
    if (channel.kind === 'webhook') return this.webhookSender.sendSigned(address, secret, message);
    if (channel.kind === 'teams') return this.webhookSender.sendToTeams(address, message);
    if (channel.kind === 'slack_webhook') return this.webhookSender.sendToSlack(address, message);
    const items = await this.withoutInteractive(message, { member, channel });
    if (!items.length && !message.moreCount) return;
    const rest = { ...message, items };
    if (member) return this.slackSender.sendToMember(secret, member.email, rest);
    return this.slackSender.sendToChannel(secret, channel.target, rest);
  }

  /** Sends the notifications on which members can decide in Slack, and returns the others. */
  private async withoutInteractive(
    { id: messageId, items }: NotificationMessage,
    { member, channel }: MessageDestination & { channel: NotificationChannel },
  ): Promise<MessageItem[]> {
    const others: MessageItem[] = [];
    for (const item of items)
      if (!(await this.interactiveMessages.send({ messageId, channel, member, item }))) others.push(item);
    return others;
  }
}
