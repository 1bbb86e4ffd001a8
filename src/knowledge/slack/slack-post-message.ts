import { setTimeout as after } from 'node:timers/promises';
import { NotSent, OutcomeUnknown, SourcePaused } from '../../connections/connections.error.js';
import type {
  ConnectionContext,
  ConnectorCall,
  DiscoveredTool,
  ToolResult,
} from '../../connections/connector-registry.service.js';
import { SourceRequestError } from '../source-kit/source-request.error.js';
import { beforeSending, toolOutcome } from '../source-kit/tool-outcome.js';
import { escapedForSlack, plainName } from './mrkdwn.js';
import { type SlackApiOptions, SlackSourceApi } from './slack-source-api.js';
import { messageUrl } from './slack-thread.js';
import { chosenChannels, openWorkspace, type SlackWorkspace } from './slack-workspace.js';
import { type SlackChannel, slackChannelAnswer, slackMessagesPage, slackPosted } from './slack-wire.js';

const maxTextLength = 12_000;
const metadataType = 'countersign_call';

export const postMessageTool: DiscoveredTool = {
  name: 'post_message',
  title: 'Post a message in Slack',
  description:
    'Posts a message in a channel of this integration, or replies to a thread there. *bold*, _italic_ and `code` are formatted. Mentions are shown as plain text and notify no one.',
  inputSchema: {
    type: 'object',
    properties: {
      channel: {
        type: 'string',
        pattern: '^[CG][A-Z0-9]{2,30}$',
        description: 'Id of the channel: the part after /archives/ in the link of a message, for example C0123ABCD.',
      },
      text: { type: 'string', minLength: 1, maxLength: maxTextLength, description: 'The message.' },
      thread_ts: {
        type: 'string',
        pattern: '^\\d{10}\\.\\d{6}$',
        description: 'To reply: the timestamp of the first message of the thread, for example 1732877091.000100.',
      },
    },
    required: ['channel', 'text'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
};

type PostArguments = Record<'channel' | 'text', string> & { thread_ts?: string };

export interface PostOptions extends SlackApiOptions {
  /** The delays before each search for a message with a lost response. */
  searchDelaysMs: readonly number[];
}

/**
 * Slack has no idempotency keys. The metadata of the message contains the key, so that the message can be found if the
 * response is lost.
 */
export async function postMessage(
  context: ConnectionContext,
  call: ConnectorCall,
  options: PostOptions,
): Promise<ToolResult> {
  const api = new SlackSourceApi(context, options);
  const { channel: id, text, thread_ts } = call.arguments as PostArguments;
  const workspace = await beforeSending(() => openWorkspace(api, context));
  const channel = await beforeSending(() => openChannel(api, context, id));
  const message = {
    channel: id,
    text: escapedForSlack(text),
    thread_ts,
    // for a preview, Slack would send a request to the linked server
    unfurl_links: false,
    unfurl_media: false,
    metadata: { event_type: metadataType, event_payload: { key: call.idempotencyKey } },
  };
  const sentAt = Date.now() / 1000;
  try {
    return await toolOutcome(true, async () => {
      const { ts } = await api.write('chat.postMessage', message, slackPosted);
      return posted(workspace, channel, ts, thread_ts);
    });
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error;
    const ts = await findPosted(api, call, sentAt, options.searchDelaysMs, context.signal);
    if (ts === null) throw error;
    return posted(workspace, channel, ts, thread_ts);
  }
}

/** Messages can be posted only in channels that the integration also reads. */
async function openChannel(api: SlackSourceApi, { settings }: ConnectionContext, id: string): Promise<SlackChannel> {
  const chosen = chosenChannels(settings);
  if (chosen && !chosen.has(id)) throw new NotSent(`The channel ${id} is not part of this integration.`);
  const { channel } = await api.read('conversations.info', { channel: id }, slackChannelAnswer);
  if (channel.is_im || channel.is_mpim || !channel.is_member)
    throw new NotSent(`The app is not in the channel ${id}. Invite it there first.`);
  return channel;
}

/** The timestamp of the message posted by this call. Null if it was not found, although it may exist. */
async function findPosted(
  api: SlackSourceApi,
  { arguments: args, idempotencyKey }: ConnectorCall,
  sentAt: number,
  searchDelaysMs: readonly number[],
  signal: AbortSignal,
): Promise<string | null> {
  const { channel, thread_ts } = args as PostArguments;
  const query = { channel, include_all_metadata: true, limit: 200, oldest: (sentAt - 60).toFixed(6) };
  for (const ms of searchDelaysMs) {
    await after(ms, undefined, { signal });
    const page = await (
      thread_ts
        ? api.read('conversations.replies', { ...query, ts: thread_ts }, slackMessagesPage)
        : api.read('conversations.history', query, slackMessagesPage)
    ).catch((error: unknown) => {
      if (error instanceof SourceRequestError || error instanceof SourcePaused) return null; // the outcome stays unknown
      throw error;
    });
    const own = page?.messages.find(
      ({ metadata }) => metadata?.event_type === metadataType && metadata.event_payload?.key === idempotencyKey,
    );
    if (own) return own.ts;
  }
  return null;
}

function posted(workspace: SlackWorkspace, channel: SlackChannel, ts: string, threadTs?: string): ToolResult {
  const url = messageUrl(workspace, channel.id, ts, threadTs);
  const text = `Posted in #${plainName(channel.name)}: ${url}`;
  return {
    content: [{ type: 'text', text }],
    isError: false,
    url,
    outside: true,
    structured: { channel: channel.id, ts, url },
  };
}
