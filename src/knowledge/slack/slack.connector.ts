import type { Connector } from '../../connections/connector-registry.service.js';
import { slackChanges, slackDocuments } from './slack-documents.js';
import { receiveSlackEvent } from './slack-events.js';
import { postMessage, postMessageTool } from './slack-post-message.js';
import { SlackRateWindows } from './slack-rate-windows.js';
import { slackRoster } from './slack-roster.js';
import { defaultSlackAddress } from './slack-source-api.js';
import { slackContainers, verifySlack } from './slack-verification.js';

export interface SlackTimeouts {
  /** The length of a rate limit window. */
  windowMs: number;
  /** The maximum wait of a sync at a rate limit. */
  maxWaitMs: number;
  /** The maximum wait at a rate limit while a person waits for the result. */
  quickWaitMs: number;
  retryDelayMs: number;
  searchDelaysMs: readonly number[];
}

const defaultSlackTimeouts: SlackTimeouts = {
  windowMs: 60_000,
  maxWaitMs: 60_000,
  quickWaitMs: 3000,
  retryDelayMs: 500,
  searchDelaysMs: [1000, 3000],
};

/** Threads of chosen channels. Each customer uses an app of its own. */
export function slackSourceConnector(timeouts: Partial<SlackTimeouts> = {}): Connector {
  const { windowMs, maxWaitMs, quickWaitMs, retryDelayMs, searchDelaysMs } = { ...defaultSlackTimeouts, ...timeouts };
  const windows = new SlackRateWindows(windowMs);
  const forSync = { windows, maxWaitMs, retryDelayMs };
  const forPerson = { windows, maxWaitMs: quickWaitMs, retryDelayMs, share: 1 };
  return {
    id: 'slack',
    title: 'Slack',
    about: 'Threads of chosen channels. Search results respect the permissions in Slack.',
    setUp:
      'Create an app of your own: api.slack.com/apps, "Create New App", in the workspace to read. Under "OAuth & Permissions" add the bot scopes ' +
      'channels:read and channels:history (public channels), groups:read and groups:history (private channels that the app is invited to), ' +
      'users:read and users:read.email (to match people), and chat:write only if agents should post messages. Install the app, copy the ' +
      '"Bot User OAuth Token", and invite the app to each channel: /invite @name. It cannot read direct messages.',
    fields: [
      {
        name: 'url',
        label: 'Slack address',
        type: 'url',
        required: false,
        help: `Leave empty for ${defaultSlackAddress}. GovSlack: https://slack-gov.com.`,
      },
      {
        name: 'token',
        label: 'Bot token',
        type: 'secret',
        required: true,
        help: '"Bot User OAuth Token" under "OAuth & Permissions"; starts with xoxb-.',
      },
      {
        name: 'signingSecret',
        label: 'Signing secret',
        type: 'secret',
        required: false,
        help: 'For webhooks: "Signing Secret" of the app, under "Basic Information". Without it, webhooks are rejected.',
      },
      {
        name: 'containers',
        label: 'Channels',
        type: 'containers',
        required: false,
        help: 'Leave empty for all channels that the app is invited to.',
      },
      {
        name: 'horizonDays',
        label: 'Days to read',
        type: 'number',
        required: false,
        help: 'Older threads are removed from the index. Default: 180.',
      },
    ],
    offers: ['knowledge', 'tools'],
    pullCadence: '15m',
    rosterCadence: '15m',
    check: ({ horizonDays }) =>
      horizonDays === undefined ||
      (Number.isInteger(horizonDays) && Number(horizonDays) >= 1 && Number(horizonDays) <= 3650)
        ? []
        : [{ pointer: '/settings/horizonDays', detail: 'must be a whole number from 1 to 3650' }],
    verify: (context) => verifySlack(context, forPerson),
    documents: (context) => slackDocuments(context, { ...forSync, quota: (status) => context.quota(status) }),
    changes: (context) => slackChanges(context, { ...forSync, quota: (status) => context.quota(status) }),
    roster: (context) => slackRoster(context, forSync),
    containers: (context) => slackContainers(context, forPerson),
    receive: (context, delivery) => Promise.resolve(receiveSlackEvent(context, delivery)),
    webhook: {
      setUp:
        'In the app in Slack, under Event Subscriptions, subscribe to the bot events message.channels, message.groups, member_joined_channel, ' +
        'member_left_channel, channel_archive, channel_rename, team_join and user_change. Slack verifies the address at once, so enter the signing secret first.',
      secretField: 'signingSecret',
    },
    tools: () => Promise.resolve([postMessageTool]),
    execute: (context, call) => postMessage(context, call, { ...forPerson, searchDelaysMs }),
  };
}
