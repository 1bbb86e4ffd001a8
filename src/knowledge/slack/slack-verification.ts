import type { ConnectionContext, Verification } from '../../connections/connector-registry.service.js';
import { SourcePaused } from '../../connections/connections.error.js';
import type { SourceContainer } from '../../connections/knowledge-source.port.js';
import { plainName } from './mrkdwn.js';
import { type SlackApiOptions, SlackSourceApi } from './slack-source-api.js';
import { isSlackRefusal } from './slack-source.error.js';
import { restrictedPageSize } from './slack-thread-reader.js';
import { listChannels, openWorkspace, selectChannels } from './slack-workspace.js';
import { type SlackChannel, slackMessagesPage, slackUsersPage } from './slack-wire.js';

const neededScopes = [
  'channels:history',
  'channels:read',
  'groups:history',
  'groups:read',
  'users:read',
  'users:read.email',
];

const restrictedReason =
  'Slack limits this app to one request a minute with 15 messages, as it does with apps that are distributed outside its Marketplace. A sync takes days, and long threads are cut. Create an internal app in your own workspace from the manifest instead, and enter its bot token.';

export async function verifySlack(context: ConnectionContext, options: SlackApiOptions): Promise<Verification> {
  const token = context.secret('token') ?? '';
  if (!token.startsWith('xoxb-'))
    return {
      status: 'failed',
      reason: 'This is not a bot token. Enter the "Bot User OAuth Token", which starts with xoxb-.',
    };
  const api = new SlackSourceApi(context, options);
  await openWorkspace(api, context);
  const { scopes } = api;
  const missing = neededScopes.filter((scope) => scopes && !scopes.includes(scope));
  if (missing.length)
    return {
      status: 'failed',
      reason: `The app lacks the scopes ${missing.join(', ')}. Add them, install it again, and save the new token.`,
    };
  const { channels, lost } = selectChannels(context.settings, await listChannels(api));
  if (lost.length)
    return limited(`The app is not in ${lost.join(', ')}. Invite it there, or remove the channel from the selection.`);
  if (!channels.length)
    return limited('The app is in no channel yet. Invite it where it should read: /invite @name-of-the-app.');
  const problem = (await rateProblem(api, channels)) ?? (await emailProblem(api));
  if (problem) return limited(problem);
  const canPost = !scopes || scopes.includes('chat:write');
  return canPost
    ? { status: 'connected' }
    : {
        status: 'connected',
        reason: 'The tool that posts messages does not work, because the app lacks the scope chat:write.',
      };
}

const limited = (reason: string): Verification => ({ status: 'limited', reason });

/** Detects a restricted app: requests one message more than its page size, and a second page within the same minute. */
async function rateProblem(api: SlackSourceApi, channels: readonly SlackChannel[]): Promise<string | null> {
  try {
    for (const { id } of channels.slice(0, 2)) {
      const query = { channel: id, limit: restrictedPageSize + 1 };
      const { messages, has_more } = await api.read('conversations.history', query, slackMessagesPage);
      if (has_more && messages.length <= restrictedPageSize) return restrictedReason;
    }
    return null;
  } catch (error) {
    if (error instanceof SourcePaused)
      return `Slack allows no more requests until ${error.until.toISOString()}. If this message persists: ${restrictedReason}`;
    if (isSlackRefusal(error, 'not_in_channel', 'channel_not_found')) return error.message;
    throw error;
  }
}

/** Without addresses, no person can be matched. */
async function emailProblem(api: SlackSourceApi): Promise<string | null> {
  const { members } = await api.read('users.list', { limit: 100 }, slackUsersPage);
  const people = members.filter(
    ({ deleted, is_bot, id }) => deleted === false && is_bot === false && id !== 'USLACKBOT',
  );
  if (!people.length || people.some(({ profile }) => profile?.email)) return null;
  return 'Slack returns no e-mail addresses, so no person can be matched with a member. Add the scope users:read.email and install the app again.';
}

/** The channels that the app can see, for the picker. */
export async function slackContainers(
  context: ConnectionContext,
  options: SlackApiOptions,
): Promise<SourceContainer[]> {
  const api = new SlackSourceApi(context, options);
  await openWorkspace(api, context);
  const channels = await listChannels(api);
  return channels
    .map((channel) => ({ id: channel.id, title: `#${plainName(channel.name)}`, note: noteOf(channel) }))
    .sort((a, b) => a.title.localeCompare(b.title));
}

function noteOf({ is_private, is_archived, is_ext_shared, is_member }: SlackChannel): string | undefined {
  const notes = [
    is_private && 'private',
    is_archived && 'archived',
    is_ext_shared && 'shared with other organizations',
    !is_member && 'invite the app first',
  ];
  return notes.filter(Boolean).join(', ') || undefined;
}
