import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import type { OutboxPayload } from '../platform/events/outbox.sql.js';
import type { NotificationKind } from './notification-kinds.js';

/** The message and where it goes. */
export interface MessageRecipient {
  messageId: string;
  /** Null: a channel of many people. */
  memberId: string | null;
  medium: 'email' | 'slack' | 'teams' | 'webhook';
}

/** Contains no arguments and no secrets. Names from other systems are quoted. */
export interface NotificationContent {
  kind: NotificationKind;
  /** One sentence. */
  title: string;
  facts: { label: string; value: string }[];
  /** The approval step, for channels that receive only some of them. */
  stepName?: string;
  /** The approval that waits for a decision. */
  approvalId?: string;
  /** The page that shows the subject to people who may see it. */
  path: string;
  /** The same page by a signed link of this message. Default: `path`. */
  pathFor?: (recipient: MessageRecipient) => string;
  /** The members it concerns now. */
  recipients: string[];
  /** It is nothing new for channels. */
  isForMembersOnly?: boolean;
  /** When to remind them, as an event of the same payload and `reminderKind`. */
  reminder?: { at: Date; eventKind: string };
}
/** Null: there is nothing to notify anyone about, or not any more. */
export type NotificationSource = (
  tx: Tx,
  tenantId: string,
  eventKind: string,
  payload: OutboxPayload,
) => Promise<NotificationContent | null>;

type PayloadFilter = (payload: OutboxPayload) => boolean;

/** Modules explain their events here. Texts are composed when a message is sent, from the state at that time. */
@Injectable()
export class NotificationSourceRegistry {
  private readonly sources = new Map<string, { describe: NotificationSource; concerns: PayloadFilter }>();

  /** Call it in the constructor or in `onModuleInit`. `concerns`: which of the events can notify anyone. Default: all. */
  register(eventKinds: readonly string[], describe: NotificationSource, concerns: PayloadFilter = () => true): void {
    for (const kind of eventKinds) this.sources.set(kind, { describe, concerns });
  }

  concerns(eventKind: string, payload: OutboxPayload): boolean {
    return this.sources.get(eventKind)?.concerns(payload) ?? false;
  }

  async describe(
    tx: Tx,
    tenantId: string,
    eventKind: string,
    payload: OutboxPayload,
  ): Promise<NotificationContent | null> {
    return (await this.sources.get(eventKind)?.describe(tx, tenantId, eventKind, payload)) ?? null;
  }
}
