import { createHash } from 'node:crypto';
import { parseFeed } from 'htmlparser2';
import type { ConnectionContext, Connector, ConnectorCall } from '../../src/connections/connector-registry.service.js';
import type { DocumentsContext, SourceDocument } from '../../src/connections/knowledge-source.port.js';
import type { ToolResult } from '../../src/connections/tools.service.js';

/** Reads an RSS or Atom feed: its entries become knowledge, and one tool lists the newest entries. */
const rss: Connector = {
  id: 'rss',
  title: 'News feed',
  setUp: 'Enter the address of a public RSS or Atom feed. Entries that are no longer in the feed are removed.',
  fields: [
    {
      name: 'url',
      label: 'Feed URL',
      type: 'url',
      required: true,
      help: 'For example https://example.com/feed.xml',
    },
    { name: 'groups', label: 'Restrict to groups', type: 'list', required: false, help: 'Leave empty for everyone.' },
  ],
  offers: ['knowledge', 'tools'],
  pullCadence: '15m',

  async verify(context) {
    const { length } = await readFeed(context);
    if (length) return { status: 'connected' };
    return { status: 'limited', reason: 'The feed is readable but currently has no entries.' };
  },

  async *documents(context: DocumentsContext): AsyncGenerator<SourceDocument> {
    for (const { id, title, link, published, html } of await readFeed(context)) {
      yield {
        externalId: id,
        kind: 'doc',
        title,
        url: link,
        updatedAt: published,
        mediaType: 'text/html',
        content: html,
        // a feed has no entry versions, so the content is the version
        fingerprint: createHash('sha256')
          .update(JSON.stringify([title, link, published, html]))
          .digest('hex'),
      };
    }
  },

  tools: async () => [
    {
      name: 'latest',
      title: 'Newest entries',
      description: 'Lists the newest entries of the feed: title, URL and time.',
      annotations: { readOnlyHint: true },
      inputSchema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Number of entries; default 10' },
        },
      },
    },
  ],

  async execute(context: ConnectionContext, { tool, arguments: { limit = 10 } }: ConnectorCall): Promise<ToolResult> {
    if (tool !== 'latest')
      return { content: [{ type: 'text', text: `Unknown tool "${tool}".` }], isError: true, outside: false };
    const entries = (await readFeed(context))
      .sort((a, b) => Number(b.published ?? 0) - Number(a.published ?? 0))
      .slice(0, Number(limit))
      .map(({ title, link, published }) => ({ title, url: link ?? null, published: published?.toISOString() ?? null }));
    const text = entries
      .map(({ title, url, published }) => `${published ?? 'undated'} ${title} ${url ?? ''}`)
      .join('\n');
    // external text: the gate taints the task that reads it
    return { content: [{ type: 'text', text }], structured: { entries }, isError: false, outside: true };
  },
};
export default rss;

/** Throws with an actionable message, which becomes the reason of a failed verification or sync. */
async function readFeed({ settings, outgoing, signal }: ConnectionContext) {
  const url = String(settings.url);
  const response = await outgoing.fetch(url, {
    signal,
    headers: { accept: 'application/atom+xml, application/rss+xml, application/xml' },
  });
  if (!response.ok)
    throw new Error(
      `${new URL(url).host} responded with ${response.status}. Check the URL, and that the feed is public.`,
    );
  const feed = parseFeed(await response.text());
  if (!feed) throw new Error('The page at this URL is not an RSS or Atom feed.');
  return feed.items.flatMap(({ id, link, title, description, pubDate }) => {
    const name = id ?? link;
    const published = pubDate && !Number.isNaN(pubDate.getTime()) ? pubDate : undefined;
    const isWebAddress = link !== undefined && /^https?:/.test(link);
    const text = { title: title || name!, link: isWebAddress ? link : undefined, html: description ?? title ?? '' };
    return name ? [{ id: name, published, ...text }] : [];
  });
}
