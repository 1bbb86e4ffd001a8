import type { ConnectionContext, ConnectorField } from '../../connections/connector-registry.service.js';
import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { SourceClient } from '../source-kit/source-client.js';
import { errorTextIn, readAtlassianLimits } from './atlassian-limits.js';
import type { AtlassianClientOptions } from './atlassian-site.js';

/**
 * The fields that Jira Data Center and Confluence Data Center have in common. The token is created in a menu of the
 * profile picture.
 */
export const dataCenterFields = (example: string, menu: string): readonly ConnectorField[] => [
  {
    name: 'url',
    label: 'Base URL',
    type: 'url',
    required: true,
    help: `With the context path, if there is one. For example ${example}`,
  },
  {
    name: 'token',
    label: 'Personal access token',
    type: 'secret',
    required: true,
    help: `Sign in as the account of the integration, open the profile picture, ${menu}, then “Personal Access Tokens”.`,
  },
];

/** The base URL, without a slash at the end. It can have a path. */
export function dataCenterSite({ settings }: Pick<ConnectionContext, 'settings'>): string {
  const { origin, pathname } = new URL(String(settings.url));
  return origin + trimTrailing(pathname, '/');
}

export function dataCenterClient(context: ConnectionContext, options: AtlassianClientOptions): SourceClient {
  return clientOf(context, options, () => ({ authorization: `Bearer ${context.secret('token') ?? ''}` }));
}

/** Sends no credential, like anonymous visitors. */
export function anonymousClient(context: ConnectionContext, options: AtlassianClientOptions): SourceClient {
  return clientOf(context, options, () => ({}));
}

function clientOf(
  context: ConnectionContext,
  { system, quota, isInteractive }: AtlassianClientOptions,
  authorize: () => Record<string, string>,
): SourceClient {
  const { outgoing, signal } = context;
  return new SourceClient({
    system,
    baseUrl: dataCenterSite(context),
    outgoing,
    signal,
    quota,
    authorize,
    readLimits: readAtlassianLimits,
    quoteOf: errorTextIn,
    ...(isInteractive && { share: 1, maxWaitMs: 10_000 }),
  });
}
