import type { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceQuota } from '../../connections/knowledge-source.port.js';
import { SourceClient, type SourceClientOptions } from '../source-kit/source-client.js';
import { requestGraphql } from '../source-kit/source-graphql.js';
import type { SourceRequestFault } from '../source-kit/source-request.error.js';
import { githubAppJwt, GithubAppTokens, githubPrivateKey, type GithubInstallationToken } from './github-app.js';
import { readGithubLimits } from './github-limits.js';
import { githubSiteOf, type GithubSite } from './github-site.js';

export interface GithubApiOptions {
  /** A person waits for the result: uses the whole quota and waits only briefly at rate limits. */
  isInteractive?: boolean;
  quota?: (status: SourceQuota) => void;
  /** Default: 500 ms. */
  retryDelayMs?: number;
}

const interactiveWaitMs = 5000;
const headers = {
  accept: 'application/vnd.github+json',
  'x-github-api-version': '2022-11-28',
  'user-agent': 'Countersign',
};

/** The REST and GraphQL clients of one GitHub server, with the credential of a connection. */
export class GithubApi {
  readonly site: GithubSite;
  readonly rest: SourceClient;
  private readonly appTokens: GithubAppTokens | null;

  constructor(
    private readonly context: ConnectionContext,
    { isInteractive, quota, retryDelayMs }: GithubApiOptions = {},
  ) {
    const { settings, outgoing, signal } = context;
    this.site = githubSiteOf(settings.url);
    const common = { system: 'GitHub', baseUrl: this.site.restUrl, outgoing, signal, headers, retryDelayMs };
    const pace = isInteractive ? { share: 1, maxWaitMs: interactiveWaitMs } : {};
    const appTokens =
      context.settings.access === 'app'
        ? appTokensOf(context, { ...common, ...pace, readLimits: readGithubLimits })
        : null;
    this.appTokens = appTokens;
    this.rest = new SourceClient({
      ...common,
      ...pace,
      quota,
      readLimits: readGithubLimits,
      authorize: async () => ({
        authorization: `Bearer ${await this.accessToken()}`,
      }),
    });
  }

  /** The current token, also for git. */
  async accessToken(): Promise<string> {
    return this.appTokens ? (await this.appTokens.token()).token : accessTokenOf(this.context);
  }

  /** Null for a personal access token. */
  async installationToken(): Promise<GithubInstallationToken | null> {
    return this.appTokens ? this.appTokens.token() : null;
  }

  query<T>(
    query: string,
    variables: Record<string, unknown>,
    data: z.ZodType<T>,
    toleratesMissing = false,
  ): Promise<T> {
    const path = this.site.graphqlUrl;
    return requestGraphql(this.rest, { path, query, variables, data, toleratesMissing, bucket: 'graphql', faultOf });
  }
}

function accessTokenOf({ secret }: ConnectionContext): string {
  const token = secret('token')?.trim();
  if (!token) throw new Error('Enter a personal access token.');
  return token;
}

function appTokensOf(context: ConnectionContext, options: Omit<SourceClientOptions, 'authorize'>) {
  const { settings, secret } = context;
  const pem = secret('privateKey');
  const appId = String(settings.appId ?? '').trim();
  if (!pem || !appId) throw new Error('Enter the App ID and a private key of the GitHub App.');
  const key = githubPrivateKey(pem);
  const client = new SourceClient({
    ...options,
    authorize: () => ({ authorization: `Bearer ${githubAppJwt(appId, key)}` }),
  });
  return new GithubAppTokens(client, String(settings.installationId ?? '').trim() || undefined);
}

/** https://docs.github.com/en/graphql/guides: errors have a type, except timeouts, which have only a message. */
function faultOf(code: string, message: string): SourceRequestFault | undefined {
  if (code === 'NOT_FOUND') return 'missing';
  if (code === 'FORBIDDEN' || code === 'INSUFFICIENT_SCOPES') return 'forbidden';
  if (/NODE_LIMIT|RESOURCE_LIMIT/.test(code) || /something went wrong|timeout|timed out/i.test(message))
    return 'unavailable';
  return undefined;
}
