import type { INestApplication } from '@nestjs/common';
import { MembersService } from '../../src/access/members.service.js';
import type { Member } from '../../src/access/member.entity.js';
import { SessionsService, sessionCookie } from '../../src/access/sessions.service.js';
import type { Tenant } from '../../src/access/tenant.entity.js';
import { TenantsService } from '../../src/access/tenants.service.js';
import type { Role } from '../../src/principal/permissions.js';
import { type Principal, systemPrincipal } from '../../src/principal/principal.js';
import { Browser } from './browser.js';

interface OrganizationServer {
  app: INestApplication;
  url: string;
}

/** A response of `/graphql`: `data`, or the code of the first error. */
export interface GraphqlResponse {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests know the type of the response
  data: any;
  code?: string;
  errors?: { message: string; extensions: Record<string, unknown> }[];
}

export type GraphqlRequest = (query: string, variables?: object) => Promise<GraphqlResponse>;

let counter = 0;

/** Creates an organization with an administrator, with the service that the setup page uses. */
export async function anOrganization(
  server: OrganizationServer,
  { name = `Organization ${++counter}`, password }: { name?: string; password?: string } = {},
) {
  const slug = `org-${++counter}`;
  const person = { email: `admin@${slug}.example`, name: 'Ada Admin', password };
  const { tenant, admin } = await server.app
    .get(TenantsService)
    .create({ name: 'test' }, { name, slug, admin: person });
  return new Organization(server, tenant, admin);
}

export class Organization {
  constructor(
    private readonly server: OrganizationServer,
    readonly tenant: Tenant,
    readonly admin: Member,
  ) {}

  /** The principal for services that are called without a person. */
  get system(): Principal {
    return systemPrincipal(this.tenant.id, 'test');
  }

  member({
    name = 'Max Member',
    roles = ['member'],
    groupIds,
    password,
  }: { name?: string; roles?: Role[]; groupIds?: string[]; password?: string } = {}): Promise<Member> {
    const email = `${name.toLowerCase().replace(/[^a-z]+/g, '.')}.${++counter}@${this.tenant.slug}.example`;
    return this.server.app.get(MembersService).create(this.system, { email, name, roles, groupIds, password });
  }

  /** A browser in which a member is signed in. */
  async browser(member: Member = this.admin, { isFresh = true } = {}): Promise<Browser> {
    const { token } = await this.server.app.get(SessionsService).open(this.system, { memberId: member.id, isFresh });
    return new Browser(this.server.url, { name: sessionCookie, token });
  }

  /** Calls `/graphql` as a signed-in member. */
  async as(member: Member = this.admin, options?: { isFresh?: boolean }) {
    const browser = await this.browser(member, options);
    return graphqlOf(browser, this.server.url);
  }

  /** Calls `/graphql` with a token. */
  withToken(token: string) {
    const browser = new Browser(this.server.url);
    return (query: string, variables?: object) =>
      sendGraphql(browser, query, variables, { authorization: `Bearer ${token}` });
  }
}

/** Calls `/graphql` in the session of a browser. */
export const graphqlOf =
  (browser: Browser, url: string): GraphqlRequest =>
  (query, variables) =>
    sendGraphql(browser, query, variables, { origin: url });

async function sendGraphql(
  browser: Browser,
  query: string,
  variables: object | undefined,
  headers: Record<string, string>,
): Promise<GraphqlResponse> {
  const response = await browser.fetch('/graphql', {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const answer = (await response.json()) as GraphqlResponse & { code?: string };
  return { ...answer, code: answer.code ?? (answer.errors?.[0]?.extensions.code as string | undefined) };
}
