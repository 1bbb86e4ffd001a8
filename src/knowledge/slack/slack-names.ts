import type { MentionNames } from './mrkdwn.js';
import { plainName } from './mrkdwn.js';
import type { SlackSourceApi } from './slack-source-api.js';
import { isSlackRefusal } from './slack-source.error.js';
import {
  type SlackChannel,
  type SlackSourceMessage,
  type SlackUser,
  slackUserAnswer,
  slackUsersPage,
} from './slack-wire.js';

const unknownPerson = 'unknown person';
/** The maximum number of requests for single users per pass, because a message can mention thousands of unknown ids. */
const maxLookups = 200;

/** The names of authors and of mentioned people and channels. */
export class SlackNames {
  private readonly people = new Map<string, string>();
  private readonly channels: ReadonlyMap<string, SlackChannel>;
  private lookups = 0;
  private isListRead = false;

  constructor(
    private readonly api: SlackSourceApi,
    channels: readonly SlackChannel[],
  ) {
    this.channels = new Map(channels.map((channel) => [channel.id, channel]));
  }

  /** Loads all people. Before a complete pass, this takes fewer requests than loading each author. */
  async loadAll(): Promise<void> {
    for await (const users of this.api.list('users.list', { limit: 999 }, slackUsersPage, ({ members }) => members))
      for (const user of users) this.people.set(user.id, nameOfUser(user));
    this.isListRead = true;
  }

  /** Loads the names that these messages need. */
  async loadFor(messages: readonly SlackSourceMessage[]): Promise<void> {
    for (const message of messages) {
      if (message.user) await this.load(message.user);
      for (const [, id] of message.text.matchAll(/<@(\w{1,30})/g)) await this.load(id);
    }
  }

  authorOf({ user, username, bot_profile }: SlackSourceMessage): string {
    const name = user ? this.people.get(user) : undefined;
    return name ?? (plainName(bot_profile?.name ?? username ?? '') || unknownPerson);
  }

  /** Hides the names of other private channels from the readers of this channel. */
  mentionsIn(channelId: string): MentionNames {
    return {
      user: (id) => this.people.get(id) ?? unknownPerson,
      channel: (id) => {
        const channel = this.channels.get(id);
        return channel && (!channel.is_private || id === channelId) ? plainName(channel.name) : null;
      },
    };
  }

  private async load(id: string): Promise<void> {
    if (this.people.has(id)) return;
    if (this.lookups >= maxLookups) {
      if (!this.isListRead) await this.loadAll();
      return;
    }
    this.lookups++;
    try {
      const { user } = await this.api.read('users.info', { user: id }, slackUserAnswer);
      this.people.set(id, nameOfUser(user));
    } catch (error) {
      if (!isSlackRefusal(error, 'user_not_found', 'user_not_visible')) throw error;
      this.people.set(id, unknownPerson);
    }
  }
}

export const nameOfUser = ({ profile, real_name, name }: SlackUser): string =>
  plainName(profile?.real_name || real_name || profile?.display_name || name || '') || unknownPerson;
