import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { ReaderSet, RosterEntry, SourceAudience } from '../../connections/knowledge-source.port.js';
import { nameOfUser } from './slack-names.js';
import { type SlackApiOptions, SlackSourceApi } from './slack-source-api.js';
import { isSlackRefusal } from './slack-source.error.js';
import {
  slackAudienceId,
  listChannels,
  openWorkspace,
  selectChannels,
  type SlackWorkspace,
} from './slack-workspace.js';
import { plainName } from './mrkdwn.js';
import { type SlackChannel, slackMembersPage, type SlackUser, slackUsersPage } from './slack-wire.js';

/** The people of the workspace, the group of its full members, and the readers of each selected channel. */
export async function* slackRoster(context: ConnectionContext, options: SlackApiOptions): AsyncGenerator<RosterEntry> {
  const api = new SlackSourceApi(context, options);
  const workspace = await openWorkspace(api, context);
  const people = new Set<string>();
  const fullMembers: string[] = [];
  for await (const users of api.list('users.list', { limit: 999 }, slackUsersPage, ({ members }) => members))
    for (const user of users.filter(isPerson)) {
      if (people.has(user.id)) continue;
      people.add(user.id);
      if (isFullMember(user, workspace)) fullMembers.push(user.id);
      yield { account: { id: user.id, name: nameOfUser(user), email: verifiedEmailOf(user, workspace) } };
    }
  const groupId = `${workspace.id}/full-members`;
  yield { group: { id: groupId, accounts: fullMembers } };
  const { channels, lost } = selectChannels(context.settings, await listChannels(api));
  const isFull = new Set(fullMembers);
  const hasOthers = fullMembers.length < people.size;
  for (const channel of channels) {
    // full members can read all public channels, guests only those that they are in
    const members = channel.is_private || hasOthers ? await membersOf(api, channel.id) : [];
    yield { audience: audienceOf(workspace, channel, members && readersOf(channel, members)) };
  }
  for (const id of lost) yield { audience: unreadableChannel(workspace, id) };

  function readersOf({ is_private }: SlackChannel, members: readonly string[]): ReaderSet {
    const known = members.filter((id) => people.has(id));
    return is_private ? { accounts: known } : { groups: [groupId], accounts: known.filter((id) => !isFull.has(id)) };
  }
}

/** Null if Slack does not return the members. */
async function membersOf(api: SlackSourceApi, channel: string): Promise<string[] | null> {
  const ids = new Set<string>();
  try {
    const query = { channel, limit: 999 };
    for await (const page of api.list('conversations.members', query, slackMembersPage, ({ members }) => members))
      page.forEach((id) => ids.add(id));
    return [...ids];
  } catch (error) {
    if (isSlackRefusal(error, 'channel_not_found', 'not_in_channel', 'fetch_members_failed')) return null;
    throw error;
  }
}

function audienceOf(workspace: SlackWorkspace, channel: SlackChannel, readers: ReaderSet | null): SourceAudience {
  const title = `#${plainName(channel.name)}`;
  const described = {
    id: slackAudienceId(workspace, channel.id),
    title,
    url: `${workspace.url}archives/${channel.id}`,
  };
  if (!readers)
    return {
      ...described,
      rule: 'Slack does not return the members of the channel, so no one can find its documents.',
      readers: 'unreadable',
    };
  return { ...described, rule: ruleOf(channel), readers: [readers] };
}

const ruleOf = ({ is_private, is_ext_shared }: SlackChannel): string => {
  const rule = is_private
    ? 'Private channel: its members.'
    : 'Public channel: the full members of the workspace, and guests who are in the channel.';
  return is_ext_shared ? `${rule} People of other organizations who share it are not matched.` : rule;
};

const unreadableChannel = (workspace: SlackWorkspace, id: string): SourceAudience => ({
  id: slackAudienceId(workspace, id),
  title: id,
  rule: 'The app can no longer see the channel, so no one can find its documents.',
  readers: 'unreadable',
});

const slackbot = 'USLACKBOT';

const isPerson = ({ id, deleted, is_bot, is_invited_user }: SlackUser): boolean =>
  deleted === false && is_bot === false && !is_invited_user && id !== slackbot;

function isFullMember(user: SlackUser, workspace: SlackWorkspace): boolean {
  const { is_restricted, is_ultra_restricted, is_stranger } = user;
  return is_restricted === false && is_ultra_restricted === false && !is_stranger && belongsTo(user, workspace);
}

/** On Enterprise Grid, people have one account in several workspaces. */
const belongsTo = ({ team_id, enterprise_user }: SlackUser, { teamId, enterpriseId }: SlackWorkspace): boolean =>
  enterpriseId === null
    ? team_id === teamId
    : enterprise_user?.enterprise_id === enterpriseId && Boolean(enterprise_user.teams?.includes(teamId));

/** Ignores addresses of people from other organizations, because this workspace does not verify them. */
function verifiedEmailOf(user: SlackUser, workspace: SlackWorkspace): string | undefined {
  const isVerified = user.is_email_confirmed === true && !user.is_stranger && belongsTo(user, workspace);
  return isVerified ? user.profile?.email || undefined : undefined;
}
