import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import { SourceRequestError } from '../source-kit/source-request.error.js';
import { defaultSlackAddress, type SlackSourceApi } from './slack-source-api.js';
import { type SlackChannel, slackChannelsPage, slackIdentityAnswer } from './slack-wire.js';

export interface SlackWorkspace {
  /** The prefix of the ids of audiences, for example "slack.com/T0123". */
  id: string;
  teamId: string;
  title: string;
  /** The website, with a slash at the end, for example "https://acme.slack.com/". */
  url: string;
  /** Null outside of Enterprise Grid. */
  enterpriseId: string | null;
  botId: string | undefined;
}

/** Throws for a token of a whole organization, because it does not show in which workspaces a channel is public. */
export async function openWorkspace(api: SlackSourceApi, { settings }: ConnectionContext): Promise<SlackWorkspace> {
  const identity = await api.read('auth.test', {}, slackIdentityAnswer);
  if (identity.is_enterprise_install)
    throw new SourceRequestError(
      'refused',
      'The app is installed for the whole Enterprise organization. Install it in one workspace and enter the bot token of that installation; connect each workspace on its own.',
      200,
      true,
    );
  const { host } = new URL(typeof settings.url === 'string' && settings.url ? settings.url : defaultSlackAddress);
  return {
    id: `${host}/${identity.team_id}`,
    teamId: identity.team_id,
    title: identity.team,
    url: webAddressOf(identity.url),
    enterpriseId: identity.enterprise_id ?? null,
    botId: identity.bot_id,
  };
}

function webAddressOf(url: string): string {
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!isWeb)
    throw new SourceRequestError('unreadable', 'Slack returned no valid address of the workspace.', 200, true);
  return `${new URL(url).origin}/`;
}

/** All channels that the app can see: all public ones, and private ones that it was invited to. */
export async function listChannels(api: SlackSourceApi): Promise<SlackChannel[]> {
  const query = { types: 'public_channel,private_channel', exclude_archived: false, limit: 999 };
  const channels = new Map<string, SlackChannel>();
  for await (const page of api.list('conversations.list', query, slackChannelsPage, (found) => found.channels))
    for (const channel of page) if (!channel.is_im && !channel.is_mpim) channels.set(channel.id, channel);
  return [...channels.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

export interface ChannelSelection {
  /** Sorted by id. */
  channels: SlackChannel[];
  /** Chosen channels that the app can no longer see or read. */
  lost: string[];
}

/** The chosen channels that the app is in. Without a selection, all channels that it is in. */
export function selectChannels(settings: Record<string, unknown>, visible: readonly SlackChannel[]): ChannelSelection {
  const chosen = chosenChannels(settings);
  const members = visible.filter((channel) => channel.is_member);
  if (!chosen) return { channels: members, lost: [] };
  const readable = new Set(members.map(({ id }) => id));
  return {
    channels: members.filter(({ id }) => chosen.has(id)),
    lost: [...chosen].filter((id) => !readable.has(id)).sort(),
  };
}

/** Null if none was chosen. */
export function chosenChannels({ containers }: Record<string, unknown>): ReadonlySet<string> | null {
  const ids = Array.isArray(containers)
    ? containers.filter((id): id is string => typeof id === 'string' && id !== '')
    : [];
  return ids.length ? new Set(ids) : null;
}

export const slackAudienceId = (workspace: SlackWorkspace, channelId: string): string => `${workspace.id}/${channelId}`;
