import { Injectable } from '@nestjs/common';
import type { Member } from '../access/member.entity.js';
import type { NotificationChannel } from './notification-channel.entity.js';
import type { MessageItem } from './notification-message.js';

export type { MessageItem } from './notification-message.js';

/** A notification that waits to be sent with a message of a Slack app. */
export interface InteractiveItem {
  /** The id of the message that would otherwise contain the notification. */
  messageId: string;
  channel: NotificationChannel;
  member: Member | null;
  item: MessageItem;
}
/** Sends it as a message of its own, on which members can decide, or returns false. Called again if sending failed. */
export type InteractiveSender = (item: InteractiveItem) => Promise<boolean>;

/** The module for decisions in Slack sends its messages here. */
@Injectable()
export class InteractiveMessageRegistry {
  private sender: InteractiveSender = async () => false;

  register(sender: InteractiveSender): void {
    this.sender = sender;
  }

  send(item: InteractiveItem): Promise<boolean> {
    return this.sender(item);
  }
}
