/** Resolves mentions. Returned names contain no Markdown. */
export interface MentionNames {
  user(id: string): string;
  /** Null if the channel is unknown, or private so that the readers must not see its name. */
  channel(id: string): string | null;
}

/** The text of a message (https://docs.slack.dev/messaging/formatting-message-text) as Markdown. */
export function markdownOfMrkdwn(mrkdwn: string, names: MentionNames): string {
  const parts = mrkdwn.replaceAll('\0', '').toWellFormed().split('```');
  // an unclosed fence is escaped, so that later messages do not become part of its code block
  const open = parts.length % 2 === 0 ? parts.pop()! : null;
  const markdown = parts.map((part, index) => (index % 2 ? fenced(part) : inline(part, names))).join('');
  return (open === null ? markdown : `${markdown}\\\`\\\`\\\`${inline(open, names)}`).trim();
}

/** The name of a person or channel, without characters that Markdown or this connector interprets. */
export const plainName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s*_`~#<>[\]()\\|]+/gu, ' ')
    .trim()
    .slice(0, 80);

const fenced = (code: string): string => `\n\`\`\`\n${literal(code).replace(/^\n|\n$/g, '')}\n\`\`\`\n`;

/** The text of code, in which links are replaced by their label. */
const literal = (text: string): string =>
  unescaped(text.replace(reference, (_, kind: string, target: string, label?: string) => `${kind}${label ?? target}`));

const reference = /<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g;

function inline(text: string, names: MentionNames): string {
  // code spans are not formatted
  const spans = text.split(/(`[^`\n]+`)/);
  return spans.map((span, index) => (index % 2 ? literal(span) : styled(span, names))).join('');
}

function styled(text: string, names: MentionNames): string {
  let end = 0;
  let markdown = '';
  for (const match of text.matchAll(reference)) {
    markdown += plain(text.slice(end, match.index)) + resolved(match, names);
    end = match.index + match[0].length;
  }
  return markdown + plain(text.slice(end));
}

/** Converts Slack's `*bold*` and `~struck~`. */
const plain = (text: string): string =>
  unescaped(
    text
      .replace(/(?<![\w*])\*(?![\s*])([^*\n]*[^\s*])\*(?![\w*])/g, '**$1**')
      .replace(/(?<![\w~])~(?![\s~])([^~\n]*[^\s~])~(?![\w~])/g, '~~$1~~'),
  );

function resolved([, kind, target, label]: RegExpMatchArray, names: MentionNames): string {
  if (kind === '@') return `@${names.user(target)}`;
  if (kind === '#') return channelMention(names.channel(target));
  if (kind === '!') return broadcast(target, label);
  const words = unescaped(label ?? '').replace(/[[\]\n]/g, ' ');
  const address = unescaped(target);
  if (!/^(https?:|mailto:)/i.test(address) || !URL.canParse(address)) return words || address;
  if (!words || words === address || address === `mailto:${words}`) return words || address;
  return `[${words}](${address.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

const channelMention = (name: string | null): string => (name === null ? '(a private channel)' : `#${name}`);

/** `<!here>`, `<!subteam^S1|@group>`, `<!date^1700000000^{date}|fallback>` */
function broadcast(target: string, label: string | undefined): string {
  if (label) return unescaped(label);
  return target.startsWith('subteam^') ? '@group' : `@${target.split('^')[0]}`;
}

/** Slack escapes only these three characters. */
export const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

export const escapedForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
