import type { ConnectionContext, Connector, Verification } from '../../connections/connector-registry.service.js';
import { WebsiteClient, type WebsiteTimeouts } from './website-client.js';
import { websiteDocuments } from './website-documents.js';
import { WebsiteRules } from './website-rules.js';
import { readWebsiteSettings, websiteFields, websiteSettingsFaults } from './website-settings.js';

const defaultWebsiteTimeouts: WebsiteTimeouts = { paceMs: 1000, retryDelayMs: 1000, responseMs: 60_000 };

/** Documentation sites and intranet pages. A website does not disclose its readers, so the connection is one audience. */
export function websiteConnector(options: Partial<WebsiteTimeouts> = {}): Connector {
  const timeouts = { ...defaultWebsiteTimeouts, ...options };
  return {
    id: 'website',
    title: 'Website',
    about: 'Pages and PDFs of a documentation site or an intranet, from its sitemap or its links.',
    setUp:
      'Reads HTML, text, Markdown and PDF below the start address: the pages of its sitemap or, without one, the pages that are linked. ' +
      'Follows robots.txt (user agent "countersign"), noindex and nofollow. Sends at most one request per second. A website does not disclose ' +
      'its readers: everyone who may use a configuration with this connection can find all pages, unless you name groups. ' +
      'Hosts in private networks must be allowed by the operator in ALLOW_PRIVATE_NETWORKS. Pages that need a browser to show text are not read.',
    fields: websiteFields,
    offers: ['knowledge'],
    pullCadence: '6h',
    check: websiteSettingsFaults,
    verify: (context) => verify(context, timeouts),
    documents: (context) => websiteDocuments(context, timeouts),
  };
}

async function verify(context: ConnectionContext, timeouts: WebsiteTimeouts): Promise<Verification> {
  const authorization = context.secret('authorization');
  if (authorization && !/^[\w-]+ [\x21-\x7e][\x20-\x7e]*$/.test(authorization.trim()))
    return {
      status: 'failed',
      reason: 'The Authorization header must be a scheme and a value, such as "Bearer" and a token.',
    };
  const settings = readWebsiteSettings(context.settings);
  const { start, root } = settings;
  const client = new WebsiteClient(context, start.origin, { ...timeouts, paceMs: 0 });
  const rules = await WebsiteRules.read(client, settings, context.connection.tenantId, false);
  if (!rules.within(start.href, start)) return { status: 'failed', reason: 'The patterns exclude the start address.' };
  if (!(await rules.allowed([start])).has(start.href))
    return { status: 'failed', reason: `The robots.txt of ${start.host} does not allow reading ${start.pathname}.` };
  const { status, url, target } = await client.follow(start, () => null);
  const failed = (reason: string): Verification => ({ status: 'failed', reason });
  if (target)
    return failed(
      `The start address redirects to ${target.origin}${target.pathname}. Enter the address of the target.`,
    );
  if (status === 401 || status === 403)
    return failed(`${start.host} refuses access (status ${status}). Check the Authorization header.`);
  if (status !== 200) return failed(`${start.host} answered with status ${status}. Check the start address.`);
  if (!rules.within(url.href, url))
    return failed(`The start address redirects to ${url.pathname}, which is not below ${root}. Enter that address.`);
  return { status: 'connected' };
}
