import { Injectable } from '@nestjs/common';
import { DeliveryFailure } from '../delivery-failure.js';
import type { NotificationMessage } from '../notification-message.js';
import { SlackApiClient } from '../slack-api-client.service.js';
import { slackBodyOf } from './webhook-sender.service.js';

/** Sends messages with the bot token of a Slack app. */
@Injectable()
export class SlackSenderService {
  constructor(private readonly slack: SlackApiClient) {}

  async sendToChannel(token: string, channel: string, message: NotificationMessage): Promise<void> {
    await this.slack.call(token, 'chat.postMessage', { channel, ...slackBodyOf(message) });
  }

  async sendToMember(token: string, email: string, message: NotificationMessage): Promise<void> {
    await this.sendToChannel(token, await this.findUser(token, email), message);
  }

  /** Slack knows the member by their email address. */
  private async findUser(token: string, email: string): Promise<string> {
    const { user } = await this.slack.call(token, 'users.lookupByEmail', { email });
    if (!user) throw new DeliveryFailure('Slack found no user with the address of the member.', true);
    return user.id;
  }
}
