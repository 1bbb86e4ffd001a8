import { escapedForSlack } from './mrkdwn.js';
import type { SlackSourceMessage } from './slack-wire.js';

const maxDepth = 10;

/** The text of a message, its blocks and attachments, in Slack's own markup. */
export function mrkdwnOfMessage({ text, blocks = [], attachments = [], files = [] }: SlackSourceMessage): string {
  const written = text.trim() || textOfBlocks(blocks);
  const names = files.map(({ title, name }) => title || name).filter(Boolean);
  const fileLine = names.length ? `Files: ${names.map((name) => escapedForSlack(name!)).join(', ')}` : '';
  return [written, ...attachments.map(textOfAttachment), fileLine].filter((part) => part.trim()).join('\n');
}

const textOfBlocks = (blocks: readonly unknown[]): string =>
  blocks
    .map((block) => textOfBlock(block, maxDepth))
    .filter((part) => part.trim())
    .join('\n');

/** Omits previews of links, because they can quote a channel that some readers of this one cannot read. */
function textOfAttachment(attachment: unknown): string {
  const { fields, blocks, ...rest } = asRecord(attachment);
  if (rest.is_msg_unfurl || rest.is_share || rest.from_url || rest.channel_id) return '';
  const parts = [rest.pretext, rest.title, rest.text].filter((part) => typeof part === 'string' && part.trim());
  const rows = asList(fields).map((field) => `${stringIn(field, 'title')}: ${stringIn(field, 'value')}`);
  const body = [...parts, ...rows, textOfBlocks(asList(blocks))].filter((part) => String(part).trim());
  return body.length ? body.join('\n') : stringIn(attachment, 'fallback');
}

function textOfBlock(block: unknown, depth: number): string {
  if (depth === 0) return '';
  const { type, text, elements, fields } = asRecord(block);
  const own =
    typeof text === 'string'
      ? textOfElement(asRecord(block))
      : text
        ? textOfBlock(text, depth - 1)
        : reference(asRecord(block));
  const parts = asList(elements).map((element) => textOfBlock(element, depth - 1));
  const inner = type === 'rich_text_preformatted' ? `\`\`\`${parts.join('')}\`\`\`` : parts.join(separatorOf(type));
  const rows = asList(fields).map((field) => textOfBlock(field, depth - 1));
  return [own, inner, ...rows].filter(Boolean).join('\n');
}

const separatorOf = (type: unknown): string => (type === 'rich_text_section' || type === 'rich_text_quote' ? '' : '\n');

/** Text of the type `mrkdwn` is markup. All other text is plain and is escaped. */
function textOfElement({ type, text, url }: Record<string, unknown>): string {
  if (type === 'mrkdwn') return String(text);
  const escaped = escapedForSlack(String(text));
  return type === 'link' && typeof url === 'string' ? `<${escapedForSlack(url)}|${escaped}>` : escaped;
}

/** An element of rich text that refers to a person, channel, link or emoji. */
function reference({ type, user_id, channel_id, url, range, name }: Record<string, unknown>): string {
  if (type === 'user' && typeof user_id === 'string') return `<@${user_id}>`;
  if (type === 'channel' && typeof channel_id === 'string') return `<#${channel_id}>`;
  if (type === 'link' && typeof url === 'string') return `<${escapedForSlack(url)}>`;
  if (type === 'broadcast' && typeof range === 'string') return `<!${range}>`;
  return type === 'emoji' && typeof name === 'string' ? `:${name}:` : '';
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
const stringIn = (value: unknown, key: string): string => {
  const found = asRecord(value)[key];
  return typeof found === 'string' ? found : '';
};
