/** The state of a workspace, and operations to change it. Each change emits an event in the format of the Events API. */

export interface SimulatedUser {
  id: string;
  name: string;
  email?: string;
  kind: 'full' | 'guest' | 'single-channel-guest' | 'bot' | 'stranger';
  isDeleted?: boolean;
  /** Default: true. */
  isEmailConfirmed?: boolean;
  /** Invited, but has not joined yet. */
  isInvited?: boolean;
  /** The workspace of the account. Default: the simulated one. */
  teamId?: string;
  /** On Enterprise Grid: the workspaces that the person belongs to. Default: the simulated one. */
  teams?: string[];
}

export interface SimulatedMessage {
  ts: string;
  user?: string;
  text: string;
  thread_ts?: string;
  subtype?: string;
  edited?: { user: string; ts: string };
  blocks?: unknown[];
  attachments?: unknown[];
  files?: { id: string; name: string; title?: string }[];
  bot_id?: string;
  username?: string;
  bot_profile?: { name: string };
  metadata?: { event_type: string; event_payload: Record<string, unknown> };
  client_msg_id?: string;
}

export interface SimulatedChannel {
  id: string;
  name: string;
  isPrivate: boolean;
  isArchived: boolean;
  /** Slack Connect: shared with other organizations. */
  isShared: boolean;
  /** On Enterprise Grid: shared with other workspaces. */
  isOrgShared: boolean;
  members: Set<string>;
  /** Messages of the channel, oldest first, without replies. */
  messages: SimulatedMessage[];
  /** Replies by the timestamp of the first message, oldest first. */
  replies: Map<string, SimulatedMessage[]>;
}

type NewMessage = Omit<SimulatedMessage, 'ts' | 'thread_ts'> & {
  /** Default: now. */
  at?: Date;
  /** Replies to this message. */
  thread?: string;
  /** The reply is also sent to the channel. */
  isBroadcast?: boolean;
};

export type SlackEventBody = { type: string } & Record<string, unknown>;

export const appUser = 'UAPP';
export const appBot = 'BAPP';

export class SlackWorkspaceState {
  readonly teamId: string;
  readonly users = new Map<string, SimulatedUser>();
  readonly channels = new Map<string, SimulatedChannel>();
  onEvent: (event: SlackEventBody) => void = () => undefined;
  private count = 0;

  constructor(teamId: string) {
    this.teamId = teamId;
    this.users.set('USLACKBOT', { id: 'USLACKBOT', name: 'Slackbot', kind: 'full' });
    this.users.set(appUser, { id: appUser, name: 'Countersign', kind: 'bot' });
  }

  addUser(user: Partial<SimulatedUser> & { name: string }): string {
    const id = user.id ?? `U${String(this.users.size).padStart(4, '0')}`;
    this.users.set(id, {
      kind: 'full',
      email: `${user.name.toLowerCase().replaceAll(' ', '.')}@acme.example`,
      ...user,
      id,
    });
    this.onEvent({ type: 'team_join', user: { id } });
    return id;
  }

  changeUser(id: string, change: Partial<SimulatedUser>): void {
    Object.assign(this.user(id), change);
    this.onEvent({ type: 'user_change', user: { id } });
  }

  /** The app is a member, unless `isAppOutside`. */
  addChannel(
    name: string,
    options: { isPrivate?: boolean; members?: string[]; isShared?: boolean; isAppOutside?: boolean } = {},
  ): string {
    const { isPrivate = false, members = [], isShared = false, isAppOutside = false } = options;
    const id = `C${String(this.channels.size + 1).padStart(4, '0')}`;
    this.channels.set(id, {
      id,
      name,
      isPrivate,
      isArchived: false,
      isShared,
      isOrgShared: false,
      members: new Set([...members, ...(isAppOutside ? [] : [appUser])]),
      messages: [],
      replies: new Map(),
    });
    return id;
  }

  join(channel: string, user: string): void {
    this.channel(channel).members.add(user);
    this.onEvent({ type: 'member_joined_channel', channel, user });
  }

  leave(channel: string, user: string): void {
    this.channel(channel).members.delete(user);
    this.onEvent({ type: 'member_left_channel', channel, user });
  }

  archive(channel: string): void {
    this.channel(channel).isArchived = true;
    this.onEvent({ type: 'channel_archive', channel });
  }

  rename(channel: string, name: string): void {
    this.channel(channel).name = name;
    this.onEvent({ type: 'channel_rename', channel: { id: channel, name } });
  }

  makePrivate(channel: string): void {
    this.channel(channel).isPrivate = true;
  }

  removeChannel(channel: string): void {
    this.channels.delete(channel);
    this.onEvent({ type: 'channel_deleted', channel });
  }

  /** Returns the timestamp, which is the id of the message. */
  post(channelId: string, { at, thread, isBroadcast, ...rest }: NewMessage): string {
    const channel = this.channel(channelId);
    const ts = this.nextTs(at);
    const message: SimulatedMessage = { ...rest, ts };
    if (thread) {
      message.thread_ts = thread;
      if (isBroadcast) message.subtype = 'thread_broadcast';
      const replies = channel.replies.get(thread) ?? [];
      channel.replies.set(thread, replies);
      insert(replies, message);
      if (!isBroadcast) return this.reportMessage(channelId, message);
    }
    insert(channel.messages, message);
    return this.reportMessage(channelId, message);
  }

  edit(channel: string, ts: string, text: string): void {
    const message = this.message(channel, ts);
    const previous = { ...message };
    Object.assign(message, { text, edited: { user: message.user ?? appUser, ts: this.nextTs() } });
    this.onEvent({
      type: 'message',
      subtype: 'message_changed',
      channel,
      message,
      previous_message: previous,
      ts: this.nextTs(),
    });
  }

  delete(channelId: string, ts: string): void {
    const channel = this.channel(channelId);
    const message = this.message(channelId, ts);
    const replies = channel.replies.get(ts);
    if (replies?.length)
      Object.assign(message, { subtype: 'tombstone', user: 'USLACKBOT', text: 'This message was deleted.' });
    else channel.messages = channel.messages.filter((one) => one.ts !== ts);
    const thread = message.thread_ts;
    if (thread && thread !== ts) {
      const rest = channel.replies.get(thread)!.filter((one) => one.ts !== ts);
      if (rest.length) channel.replies.set(thread, rest);
      else channel.replies.delete(thread);
    }
    this.onEvent({
      type: 'message',
      subtype: 'message_deleted',
      channel: channelId,
      deleted_ts: ts,
      previous_message: { ...message },
      ts: this.nextTs(),
    });
  }

  user(id: string): SimulatedUser {
    const user = this.users.get(id);
    if (!user) throw new Error(`the workspace has no user ${id}`);
    return user;
  }

  channel(id: string): SimulatedChannel {
    const channel = this.channels.get(id);
    if (!channel) throw new Error(`the workspace has no channel ${id}`);
    return channel;
  }

  message(channelId: string, ts: string): SimulatedMessage {
    const { messages, replies } = this.channel(channelId);
    const found = messages.find((one) => one.ts === ts) ?? [...replies.values()].flat().find((one) => one.ts === ts);
    if (!found) throw new Error(`the channel ${channelId} has no message ${ts}`);
    return found;
  }

  private reportMessage(channel: string, message: SimulatedMessage): string {
    this.onEvent({ type: 'message', channel, channel_type: 'channel', ...message });
    return message.ts;
  }

  private nextTs(at = new Date()): string {
    this.count = (this.count + 1) % 1_000_000;
    return `${Math.floor(at.getTime() / 1000)}.${String(this.count).padStart(6, '0')}`;
  }
}

const byTime = (a: SimulatedMessage, b: SimulatedMessage): number => Number(a.ts) - Number(b.ts);

function insert(messages: SimulatedMessage[], message: SimulatedMessage): void {
  const isLast = !messages.length || byTime(messages.at(-1)!, message) < 0;
  messages.push(message);
  if (!isLast) messages.sort(byTime);
}
