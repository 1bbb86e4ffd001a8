import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { truncate } from '../../platform/text/truncate.js';
import { mrkdwnOfMessage } from './message-text.js';
import { markdownOfMrkdwn, plainName } from './mrkdwn.js';
import type { SlackNames } from './slack-names.js';
import { slackAudienceId, type SlackWorkspace } from './slack-workspace.js';
import { secondsOf, type SlackChannel, type SlackSourceMessage } from './slack-wire.js';

/** Messages of Slack itself: somebody joined, the topic changed. */
const kept = new Set([undefined, 'bot_message', 'file_share', 'me_message', 'thread_broadcast', 'tombstone']);
const maxThreadLength = 3.5 * 2 ** 20;
const maxTitleLength = 120;

export const isWritten = ({ subtype }: SlackSourceMessage): boolean => kept.has(subtype);

export interface ThreadPlace {
  workspace: SlackWorkspace;
  channel: SlackChannel;
  names: SlackNames;
}

/** The part before the slash names the channel in reports of what could not be read. */
export const threadIdOf = (channelId: string, ts: string): string => `${channelId}/${ts}`;

/** What a document says about a thread without its text. */
export function describeThread(
  place: ThreadPlace,
  parent: SlackSourceMessage,
): Omit<SourceDocument, 'content' | 'fingerprint'> {
  const { workspace, channel, names } = place;
  const { ts, latest_reply, edited } = parent;
  const newest = Math.max(...[ts, latest_reply, edited?.ts].map((at) => secondsOf(at ?? ts)));
  const title = titleOf(markdownOf(parent, place));
  return {
    externalId: threadIdOf(channel.id, ts),
    kind: 'message',
    title: title || `Message in #${plainName(channel.name)}`,
    author: names.authorOf(parent),
    url: messageUrl(workspace, channel.id, ts),
    container: `#${plainName(channel.name)}`,
    updatedAt: new Date(newest * 1000),
    mediaType: 'text/markdown',
    audience: slackAudienceId(workspace, channel.id),
  };
}

export const messageUrl = ({ url }: SlackWorkspace, channelId: string, ts: string, threadTs = ts): string => {
  const link = `${url}archives/${channelId}/p${ts.replace('.', '')}`;
  return threadTs === ts ? link : `${link}?thread_ts=${threadTs}&cid=${channelId}`;
};

/** The messages of a thread in their order, each below a line with its author and time. */
export class ThreadTranscript {
  private readonly sections: string[] = [];
  private readonly seen = new Set<string>();
  private length = 0;
  /** No more messages fit, or the source returns them too slowly. */
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

/** Changes with the names in the text, too. */
export const fingerprintOfText = (markdown: string): string => `text:${sha256(markdown).toString('base64url')}`;

/** For a thread whose replies are not read again while its parent looks the same. */
export function fingerprintOfParent({ ts, edited, reply_count, latest_reply, ...message }: SlackSourceMessage): string {
  const text = sha256(mrkdwnOfMessage({ ts, reply_count, ...message })).toString('base64url');
  return `parent:${[ts, edited?.ts ?? '', reply_count, latest_reply ?? '', text].join(' ')}`;
}

const markdownOf = (message: SlackSourceMessage, { channel, names }: ThreadPlace): string =>
  isWritten(message) ? markdownOfMrkdwn(mrkdwnOfMessage(message), names.mentionsIn(channel.id)) : '';

const headerOf = (author: string, ts: string): string =>
  `**${author}** · ${new Date(secondsOf(ts) * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const forgedHeader = /^\s*\*\*[^\n]{1,200}\*\* · \d{4}-/;
/** Headings, rules, underlines of headings, and fences of the other kind mean nothing in Slack. */
const structure = /^ {0,3}(?:#{1,6}(?=[ \t]|$)|~{3,}|[=-]+[ \t]*$)/;

/** What a person wrote cannot look like the line above another message, or be a heading over later ones. */
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

/** The first line, without markup. */
function titleOf(markdown: string): string {
  const line = markdown.split('\n').find((one) => /[\p{L}\p{N}]/u.test(one)) ?? '';
  const words = line.replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1').replace(/[*`~]+/g, '');
  return truncate(words.trim(), maxTitleLength).trim();
}
