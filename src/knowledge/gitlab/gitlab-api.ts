import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceQuota } from '../../connections/knowledge-source.port.js';
import { SourceClient } from '../source-kit/source-client.js';
import { readGitlabLimits } from './gitlab-limits.js';
import { gitlabSiteOf, type GitlabSite } from './gitlab-site.js';

export interface GitlabApiOptions {
  /** A person waits for the result: uses the whole quota and waits only briefly at rate limits. */
  isInteractive?: boolean;
  quota?: (status: SourceQuota) => void;
}

const interactiveWaitMs = 5000;
const me = z.object({ id: z.number().int(), username: z.string(), is_admin: z.boolean().nullish() });

export interface GitlabIdentity {
  id: number;
  /** The token has the rights of an administrator. */
  isAdmin: boolean;
  /** The user is an administrator, but the server requires the scope admin_mode to use these rights. */
  lacksAdminMode: boolean;
}

/** The REST client of one GitLab server, with the token of a connection. */
export class GitlabApi {
  readonly site: GitlabSite;
  readonly rest: SourceClient;
  private identity: Promise<GitlabIdentity> | undefined;

  constructor(context: ConnectionContext, { isInteractive, quota }: GitlabApiOptions = {}) {
    const { settings, outgoing, signal } = context;
    this.site = gitlabSiteOf(settings.url);
    this.rest = new SourceClient({
      system: 'GitLab',
      baseUrl: this.site.apiUrl,
      outgoing,
      signal,
      quota,
      headers: { 'user-agent': 'Countersign' },
      ...(isInteractive && { share: 1, maxWaitMs: interactiveWaitMs }),
      readLimits: readGitlabLimits,
      quoteOf: messageIn,
      authorize: () => ({ 'private-token': tokenOf(context) }),
    });
  }

  /** The person or bot of the token. */
  whoAmI(): Promise<GitlabIdentity> {
    return (this.identity ??= this.readIdentity());
  }

  private async readIdentity(): Promise<GitlabIdentity> {
    const { id, is_admin: isUserAdmin } = await this.rest.get('/user', me);
    const isAdmin = isUserAdmin === true && (await this.seesPrivateFields());
    return { id, isAdmin, lacksAdminMode: isUserAdmin === true && !isAdmin };
  }

  /** Only the rights of an administrator show whether a user is external. */
  private async seesPrivateFields(): Promise<boolean> {
    const schema = z.array(z.object({ external: z.boolean().optional() }));
    const users = await this.rest.get('/users', schema, { per_page: 1 });
    return users.some(({ external }) => external !== undefined);
  }
}

function tokenOf({ secret }: ConnectionContext): string {
  const token = secret('token')?.trim();
  if (!token) throw new Error('Enter an access token.');
  return token;
}

/** `message` is a text or lists errors by field; OAuth errors, such as a missing scope, have a description. */
function messageIn(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return undefined;
  const { message, error, error_description: description } = body as Record<string, unknown>;
  if (typeof message === 'string') return message;
  if (typeof message === 'object' && message !== null) return JSON.stringify(message);
  return description ?? error;
}
