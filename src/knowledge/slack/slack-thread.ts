import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { mrkdwnOfMessage } from './message-text.js';
import { markdownOfMrkdwn, plainName } from './mrkdwn.js';
import type { SlackNames } from './slack-names.js';
import { slackAudienceId, type SlackWorkspace } from './slack-workspace.js';
import { secondsOf, type SlackChannel, type SlackSourceMessage } from './slack-wire.js';

/** Subtypes of messages with text. The others are notices of Slack: a person joined, the topic changed. */
const writtenSubtypes = new Set([
  undefined,
  'bot_message',
  'file_share',
  'me_message',
  'thread_broadcast',
  'tombstone',
]);
const maxThreadLength = 3.5 * 2 ** 20;

export const isWritten = ({ subtype }: SlackSourceMessage): boolean => writtenSubtypes.has(subtype);

export interface ThreadPlace {
  workspace: SlackWorkspace;
  channel: SlackChannel;
  names: SlackNames;
}

/** The prefix up to the slash identifies all threads of a channel, for reporting skipped channels. */
export const threadIdOf = (channelId: string, ts: string): string => `${channelId}/${ts}`;

/**
 * The fields of the document except its text. The title consists of channel, author and time and never quotes a message,
 * because administrators of knowledge see titles of channels that they cannot read.
 */
export function describeThread(
  place: ThreadPlace,
  parent: SlackSourceMessage,
): Omit<SourceDocument, 'content' | 'fingerprint'> {
  const { workspace, channel, names } = place;
  const { ts, latest_reply, edited } = parent;
  const newest = Math.max(...[ts, latest_reply, edited?.ts].map((at) => secondsOf(at ?? ts)));
  const container = `#${plainName(channel.name)}`;
  const author = names.authorOf(parent);
  return {
    externalId: threadIdOf(channel.id, ts),
    kind: 'message',
    title: `${container} · ${author} · ${timeOf(ts)}`,
    author,
    url: messageUrl(workspace, channel.id, ts),
    container,
    updatedAt: new Date(newest * 1000),
    mediaType: 'text/markdown',
    audience: slackAudienceId(workspace, channel.id),
  };
}

export const messageUrl = ({ url }: SlackWorkspace, channelId: string, ts: string, threadTs = ts): string => {
  const link = `${url}archives/${channelId}/p${ts.replace('.', '')}`;
  return threadTs === ts ? link : `${link}?thread_ts=${threadTs}&cid=${channelId}`;
};

/** The messages of a thread in order, each below a line with its author and time. */
export class ThreadTranscript {
  private readonly sections: string[] = [];
  private readonly seen = new Set<string>();
  private length = 0;
  /** Later messages are missing: the text is too long, or Slack returns them too slowly. */
  isCut = false;

  constructor(private readonly place: ThreadPlace) {}

  /** Slack repeats the first message of a thread on every page. */
  add(messages: readonly SlackSourceMessage[]): void {
    for (const message of messages) {
      if (this.isCut || this.seen.has(message.ts)) continue;
      this.seen.add(message.ts);
      const text = markdownOf(message, this.place);
      if (!text) continue;
      const section = `${headerOf(this.place.names.authorOf(message), message.ts)}\n${asBody(text)}`;
      this.isCut = this.length + section.length > maxThreadLength;
      if (this.isCut) return;
      this.length += section.length + 2;
      this.sections.push(section);
    }
  }

  get messageCount(): number {
    return this.seen.size;
  }

  toString(): string {
    return this.sections.join('\n\n');
  }
}

/** Title and text contain names, so that renaming a channel or person updates the document. */
export const fingerprintOfText = (title: string, markdown: string): string =>
  `text:${sha256(`${title}\n${markdown}`).toString('base64url')}`;

/** Identifies a thread by its parent, without reading its replies. */
export function fingerprintOfParent(title: string, parent: SlackSourceMessage): string {
  const { ts, edited, reply_count, latest_reply } = parent;
  const text = sha256(`${title}\n${mrkdwnOfMessage(parent)}`).toString('base64url');
  return `parent:${[ts, edited?.ts ?? '', reply_count, latest_reply ?? '', text].join(' ')}`;
}

const markdownOf = (message: SlackSourceMessage, { channel, names }: ThreadPlace): string =>
  isWritten(message) ? markdownOfMrkdwn(mrkdwnOfMessage(message), names.mentionsIn(channel.id)) : '';

const headerOf = (author: string, ts: string): string => `**${author}** · ${timeOf(ts)}`;

const timeOf = (ts: string): string =>
  `${new Date(secondsOf(ts) * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const forgedHeader = /^\s*\*\*[^\n]{1,200}\*\* · \d{4}-/;
/** Markdown that Slack does not have: headings, rules, underlined headings, and fences of tildes. */
const structure = /^ {0,3}(?:#{1,6}(?=[ \t]|$)|~{3,}|[=-]+[ \t]*$)/;

/** Escapes text that looks like the line above a message, or like a heading over later messages. */
function asBody(text: string): string {
  let isCode = false;
  return text
    .split(/\r\n?|\n/)
    .map((line) => {
      if (line.startsWith('```')) isCode = !isCode;
      const isMarkup = forgedHeader.test(line) || (!isCode && structure.test(line));
      return isMarkup ? `\\${line.trimStart()}` : line;
    })
    .join('\n');
}
