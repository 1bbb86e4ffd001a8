import type { ConnectionContext, ConnectorField } from '../../connections/connector-registry.service.js';
import type { SourceQuota } from '../../connections/knowledge-source.port.js';
import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { SourceClient } from '../source-kit/source-client.js';
import { errorTextIn, readAtlassianLimits } from './atlassian-limits.js';

/** The fields that Jira Cloud and Confluence Cloud have in common. */
export const siteFields = (product: 'jira' | 'confluence'): readonly ConnectorField[] => [
  {
    name: 'url',
    label: 'Site',
    type: 'url',
    required: true,
    help: 'For example https://acme.atlassian.net',
  },
  {
    name: 'email',
    label: 'Account e-mail',
    type: 'text',
    required: true,
    isTarget: true,
    help: 'The e-mail address of the account that the API token belongs to. Use a separate account for this integration.',
  },
  {
    name: 'token',
    label: 'API token',
    type: 'secret',
    required: true,
    help: 'Sign in as this account at id.atlassian.com, open Security, then “Create and manage API tokens”.',
  },
  {
    name: 'apiUrl',
    label: 'API address',
    type: 'url',
    required: false,
    help: `Only for an API token with scopes: https://api.atlassian.com/ex/${product}/ followed by the cloud ID of the site.`,
  },
];

/** The number of independent reads that overlap. The rate limits of the client apply to each of them. */
export const concurrentReads = 4;

/** The address of the site in the browser, without a slash at the end. */
export const siteOf = ({ settings }: Pick<ConnectionContext, 'settings'>): string =>
  new URL(String(settings.url)).origin;

export interface AtlassianClientOptions {
  system: string;
  quota?: (status: SourceQuota) => void;
  /** A person waits for the response: requests may use the reserve of the quota, and waits are short. */
  isInteractive?: boolean;
}

export function atlassianClient(context: ConnectionContext, options: AtlassianClientOptions): SourceClient {
  const { settings, outgoing, signal } = context;
  const { system, quota, isInteractive } = options;
  const isScoped = typeof settings.apiUrl === 'string' && settings.apiUrl !== '';
  return new SourceClient({
    system,
    baseUrl: isScoped ? trimTrailing(String(settings.apiUrl), '/') : siteOf(context),
    outgoing,
    signal,
    quota,
    authorize: () => {
      const pair = `${String(settings.email ?? '')}:${context.secret('token') ?? ''}`;
      return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    },
    readLimits: readAtlassianLimits,
    quoteOf: errorTextIn,
    ...(isInteractive && { share: 1, maxWaitMs: 10_000 }),
  });
}
