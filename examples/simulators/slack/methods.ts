import { SimulatedRefusal } from '../http-simulator.ts';
import { appBot, appUser } from './workspace.ts';
import type { SimulatedChannel, SimulatedMessage, SimulatedUser } from './workspace.ts';
import type { SlackSimulator } from './slack-simulator.ts';

export type MethodArguments = Record<string, string | undefined>;
export interface SlackMethodDefinition {
  /** Requests per minute. */
  perMinute: number;
  /** The token needs at least one of them. */
  scopes: string[];
  answer: (slack: SlackSimulator, args: MethodArguments, body: Record<string, unknown>) => object;
}

const history = ['channels:history', 'groups:history'];
const read = ['channels:read', 'groups:read'];

export const methods: Record<string, SlackMethodDefinition> = {
  'auth.test': { perMinute: 100, scopes: [], answer: identity },
  'conversations.list': { perMinute: 20, scopes: read, answer: channelList },
  'conversations.info': {
    perMinute: 50,
    scopes: read,
    answer: (slack, { channel }) => ({ channel: channelObject(visibleChannel(slack, channel)) }),
  },
  'conversations.members': { perMinute: 100, scopes: read, answer: memberList },
  'conversations.history': { perMinute: 50, scopes: history, answer: channelHistory },
  'conversations.replies': { perMinute: 50, scopes: history, answer: threadReplies },
  'users.list': { perMinute: 20, scopes: ['users:read'], answer: userList },
  'users.info': { perMinute: 100, scopes: ['users:read'], answer: userInfo },
  'chat.postMessage': { perMinute: 60, scopes: ['chat:write'], answer: postMessage },
};

export const refuse = (error: string, more: object = {}): never => {
  throw new SimulatedRefusal({ body: { ok: false, error, ...more } });
};

function identity({ workspace: { teamId }, url, enterprise }: SlackSimulator): object {
  return {
    url: `${url}/`,
    team: 'Acme',
    user: 'countersign',
    team_id: teamId,
    user_id: appUser,
    bot_id: appBot,
    ...(enterprise && { enterprise_id: enterprise.id, is_enterprise_install: enterprise.isOrgInstall ?? false }),
  };
}

function channelList(slack: SlackSimulator, args: MethodArguments): object {
  const types = (args.types ?? 'public_channel').split(',');
  const channels = [...slack.workspace.channels.values()].filter(
    (channel) =>
      types.includes(channel.isPrivate ? 'private_channel' : 'public_channel') &&
      (!channel.isPrivate || channel.members.has(appUser)) &&
      !(args.exclude_archived === 'true' && channel.isArchived),
  );
  const { items, response_metadata } = pageOf(channels, args);
  return { channels: items.map(channelObject), response_metadata };
}

function memberList(slack: SlackSimulator, args: MethodArguments): object {
  const { items, response_metadata } = pageOf([...visibleChannel(slack, args.channel).members], args);
  return { members: items, response_metadata };
}

function userList(slack: SlackSimulator, args: MethodArguments): object {
  const { items, response_metadata } = pageOf([...slack.workspace.users.values()], args);
  return { members: items.map((user) => userObject(slack, user)), cache_ts: 1, response_metadata };
}

function userInfo(slack: SlackSimulator, { user }: MethodArguments): object {
  const found = slack.workspace.users.get(user ?? '');
  return found ? { user: userObject(slack, found) } : refuse('user_not_found');
}

function channelHistory(slack: SlackSimulator, args: MethodArguments): object {
  const channel = readableChannel(slack, args.channel);
  const oldest = Number(args.oldest ?? 0);
  const latest = args.latest === undefined ? Infinity : Number(args.latest);
  const isInclusive = args.inclusive === 'true';
  const isOldEnough = (ts: number) => (isInclusive ? ts <= latest : ts < latest);
  const isNewEnough = (ts: number) => (isInclusive ? ts >= oldest : ts > oldest);
  const from = countWhile(channel.messages, (ts) => !isNewEnough(ts));
  const to = countWhile(channel.messages, isOldEnough);
  const found = channel.messages.slice(from, to).reverse();
  const { items, response_metadata } = pageOf(found, restricted(slack, args));
  const messages = items.map((message) => messageObject(channel, message, args));
  return { messages, has_more: Boolean(response_metadata), pin_count: 0, response_metadata };
}

function threadReplies(slack: SlackSimulator, args: MethodArguments): object {
  const channel = readableChannel(slack, args.channel);
  const parent = channel.messages.find(({ ts, thread_ts }) => ts === args.ts && !thread_ts);
  if (!parent) return refuse('thread_not_found');
  const { items, response_metadata } = pageOf(channel.replies.get(parent.ts) ?? [], restricted(slack, args));
  // each page begins with the first message of the thread
  const messages = [parent, ...items].map((message) => messageObject(channel, message, args));
  return { messages, has_more: Boolean(response_metadata), response_metadata };
}

interface PostedMessage {
  channel?: string;
  text?: string;
  thread_ts?: string;
  metadata?: SimulatedMessage['metadata'];
}

function postMessage(slack: SlackSimulator, _: MethodArguments, body: Record<string, unknown>): object {
  const { channel: id, text, thread_ts, metadata } = body as PostedMessage;
  const channel = readableChannel(slack, id);
  if (channel.isArchived) return refuse('is_archived');
  if (!text) return refuse('no_text');
  if (text.length > 40_000) return refuse('msg_too_long');
  if (thread_ts && !channel.messages.some(({ ts }) => ts === thread_ts)) return refuse('thread_not_found');
  const message = {
    text,
    user: appUser,
    bot_id: appBot,
    bot_profile: { name: 'Countersign' },
    thread: thread_ts,
    metadata,
  };
  const ts = slack.workspace.post(channel.id, message);
  return { channel: channel.id, ts, message: { type: 'message', ts, text, app_id: 'A1' } };
}

/** Private channels that the app is not in are reported as not found. */
function visibleChannel({ workspace }: SlackSimulator, id: string | undefined): SimulatedChannel {
  const channel = workspace.channels.get(id ?? '');
  return channel && (!channel.isPrivate || channel.members.has(appUser)) ? channel : refuse('channel_not_found');
}

function readableChannel(slack: SlackSimulator, id: string | undefined): SimulatedChannel {
  const channel = visibleChannel(slack, id);
  return channel.members.has(appUser) ? channel : refuse('not_in_channel');
}

const channelObject = (channel: SimulatedChannel): object => ({
  id: channel.id,
  name: channel.name,
  name_normalized: channel.name,
  is_channel: true,
  is_group: false,
  is_im: false,
  is_mpim: false,
  is_private: channel.isPrivate,
  is_archived: channel.isArchived,
  is_member: channel.members.has(appUser),
  is_shared: channel.isShared || channel.isOrgShared,
  is_ext_shared: channel.isShared,
  is_org_shared: channel.isOrgShared,
  num_members: channel.members.size,
});

function userObject({ workspace, scopes, enterprise }: SlackSimulator, user: SimulatedUser): object {
  const { id, name, email, kind, isDeleted = false, isEmailConfirmed = true, isInvited = false } = user;
  const described = {
    id,
    team_id: user.teamId ?? workspace.teamId,
    name: name.toLowerCase().replaceAll(' ', '.'),
    real_name: name,
    deleted: isDeleted,
    profile: { real_name: name, display_name: '', ...(scopes.has('users:read.email') && email && { email }) },
  };
  if (isDeleted) return { ...described, is_bot: kind === 'bot' };
  return {
    ...described,
    is_admin: false,
    is_bot: kind === 'bot',
    is_restricted: kind === 'guest' || kind === 'single-channel-guest',
    is_ultra_restricted: kind === 'single-channel-guest',
    is_stranger: kind === 'stranger',
    is_email_confirmed: isEmailConfirmed,
    ...(isInvited && { is_invited_user: true }),
    ...(enterprise && {
      enterprise_user: { id, enterprise_id: enterprise.id, teams: user.teams ?? [workspace.teamId] },
    }),
  };
}

function messageObject(channel: SimulatedChannel, message: SimulatedMessage, args: MethodArguments): object {
  const replies = message.thread_ts ? undefined : channel.replies.get(message.ts);
  const { metadata, ...shown } = message;
  return {
    type: 'message',
    ...shown,
    ...(args.include_all_metadata === 'true' && metadata && { metadata }),
    ...(replies && {
      thread_ts: message.ts,
      reply_count: replies.length,
      reply_users_count: new Set(replies.map(({ user }) => user)).size,
      latest_reply: replies.at(-1)!.ts,
    }),
  };
}

/** The number of leading messages that match. The messages must be sorted. */
function countWhile(messages: readonly SimulatedMessage[], isTrue: (ts: number) => boolean): number {
  let low = 0;
  for (let high = messages.length; low < high;) {
    const middle = (low + high) >> 1;
    if (isTrue(Number(messages[middle].ts))) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An app that is distributed outside the Marketplace receives at most 15 objects. */
const restricted = ({ isRestricted }: SlackSimulator, args: MethodArguments): MethodArguments =>
  isRestricted ? { ...args, limit: String(Math.min(15, Number(args.limit ?? 15))) } : args;

/** A cursor is the position in the list, encoded. */
function pageOf<T>(
  all: readonly T[],
  { limit = '100', cursor }: MethodArguments,
): { items: T[]; response_metadata?: object } {
  const size = Number(limit);
  if (!Number.isInteger(size) || size < 1 || size > 999) return refuse('invalid_limit');
  const from = cursor ? Number(/^next:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString())?.[1] ?? NaN) : 0;
  if (Number.isNaN(from)) return refuse('invalid_cursor');
  const items = all.slice(from, from + size);
  const end = from + size;
  return end < all.length
    ? { items, response_metadata: { next_cursor: Buffer.from(`next:${end}`).toString('base64') } }
    : { items };
}
