import { GroupsService } from '../../src/access/groups.service.js';
import type { Member } from '../../src/access/member.entity.js';
import { ConfigurationsService } from '../../src/configurations/configurations.service.js';
import { ConnectionsService } from '../../src/connections/connections.service.js';
import { ToolsService } from '../../src/connections/tools.service.js';
import { GateService, type CallOutcome } from '../../src/gate/gate.service.js';
import { PoliciesService } from '../../src/policies/policies.service.js';
import type { Role } from '../../src/principal/permissions.js';
import type { Principal } from '../../src/principal/principal.js';
import { AccountUpstream } from './account-upstream.js';
import { Browser, formsOf } from './browser.js';
import { sessionPrincipal } from './gate-fixture.js';
import { anOrganization, type Organization } from './organization.js';
import { type TestServer, testServer } from './server.js';

/** An organization connected to an upstream where each member has their own account. */
export class AccountFixture {
  private constructor(
    readonly server: TestServer,
    readonly upstream: AccountUpstream,
    readonly organization: Organization,
    readonly connectionId: string,
    readonly configurationId: string,
    private readonly groupId: string,
    private readonly slug: string,
  ) {}

  /** Starts a dedicated server and upstream, which `close` stops. */
  static async start({
    name,
    secrets,
  }: { name?: string; secrets?: Record<string, string> } = {}): Promise<AccountFixture> {
    const [server, upstream] = await Promise.all([testServer(), AccountUpstream.start()]);
    return AccountFixture.create(server, upstream, await anOrganization(server, { name }), {}, secrets);
  }

  static async create(
    server: TestServer,
    upstream: AccountUpstream,
    organization: Organization,
    settings: Record<string, unknown> = {},
    secrets: Record<string, string> = {},
    slug = 'notes',
  ): Promise<AccountFixture> {
    const admin = await sessionPrincipal(server, organization, organization.admin);
    const connection = await server.app.get(ConnectionsService).create(admin, {
      kind: 'mcp',
      name: 'Notes',
      slug,
      settings: { url: upstream.url, credentials: 'personal', timeoutSeconds: 60, ...settings },
      secrets,
    });
    const group = await server.app.get(GroupsService).create(admin, `Readers of ${slug}`);
    await server.app.get(GroupsService).addMember(admin, group.id, organization.admin.id);
    const configuration = await server.app.get(ConfigurationsService).create(admin, {
      name: slug,
      description: '',
      connectionIds: [connection.id],
      groupIds: [group.id],
    });
    const permitAll = '@id("all") permit (principal, action, resource);';
    await server.app.get(PoliciesService).publish(admin, configuration.id, permitAll);
    return new AccountFixture(server, upstream, organization, connection.id, configuration.id, group.id, slug);
  }

  /** The same connection, at another server process. */
  at(server: TestServer): AccountFixture {
    const { upstream, organization, connectionId, configurationId, groupId, slug } = this;
    return new AccountFixture(server, upstream, organization, connectionId, configurationId, groupId, slug);
  }

  /** Only for a fixture created with `start`. */
  async close(): Promise<void> {
    await this.server.close();
    await this.upstream.close();
  }

  get connectPath(): string {
    return `/connections/${this.connectionId}/connect`;
  }

  get admin(): Member {
    return this.organization.admin;
  }

  /** Creates another member who can use the connection. */
  member(name: string, roles: Role[] = ['member']): Promise<Member> {
    return this.organization.member({ name, roles, groupIds: [this.groupId] });
  }

  /** Gives an existing member access. */
  async addToGroup(member: Member): Promise<void> {
    await this.server.app.get(GroupsService).addMember(await this.principalOf(this.admin), this.groupId, member.id);
  }

  principalOf(member: Member): Promise<Principal> {
    return sessionPrincipal(this.server, this.organization, member);
  }

  browser(member: Member): Promise<Browser> {
    return this.organization.browser(member);
  }

  /** Signs a browser in to the upstream as `sub` and returns the callback address. */
  async signInUpstream(browser: Browser, sub: string): Promise<string> {
    this.upstream.provider.signsInAs = sub;
    const page = await this.startConnect(browser);
    const onward = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page)?.[1];
    if (!onward) throw new Error(pageNotice(page) ?? page);
    return this.upstream.provider.followToCallback(onward.replaceAll('&amp;', '&'));
  }

  /** Submits "Connect". Confirms the sign-in server if asked to, as an administrator. */
  async startConnect(browser: Browser): Promise<string> {
    const page = await (await browser.submit(this.connectPath)).text();
    const confirmation = formsOf(page).find(({ hidden }) => hidden.confirmed);
    return confirmation ? (await browser.post(confirmation.action, confirmation.hidden)).text() : page;
  }

  /** An administrator confirms the sign-in server. */
  async confirmSignInServer(): Promise<void> {
    await this.startConnect(await this.browser(this.admin));
  }

  /** The complete flow: connects a member to the account `sub` of the upstream. */
  async connect(member: Member, sub: string): Promise<Browser> {
    const browser = await this.browser(member);
    const arrived = await browser.fetch(await this.signInUpstream(browser, sub));
    if (arrived.status !== 303) throw new Error(pageNotice(await arrived.text()));
    return browser;
  }

  async disconnect(browser: Browser): Promise<Response> {
    const page = await (await browser.fetch('/connections')).text();
    const form = formsOf(page).find(({ action }) => action.includes(this.connectionId))!;
    return browser.post(form.action, form.hidden);
  }

  /** Calls a tool through the gate, as a member or any principal. */
  async call(as: Principal | Member, tool = 'whoami'): Promise<CallOutcome> {
    const principal = 'permissions' in as ? as : await this.principalOf(as);
    return this.server.app.get(GateService).call(principal, {
      configurationId: this.configurationId,
      tool: `${this.slug}__${tool}`,
      arguments: '{}',
    });
  }

  /** The text of the result, or the outcome. */
  async callText(as: Principal | Member, tool = 'whoami'): Promise<string> {
    const outcome = await this.call(as, tool);
    if (outcome.state === 'succeeded') return (outcome.result.content[0] as { text: string }).text;
    return `${outcome.state}: ${'reason' in outcome ? outcome.reason : ''}`;
  }

  /** Connects an administrator's account; tool discovery uses it from now on. */
  async connectAsAdmin(sub = 'ada over there'): Promise<void> {
    await this.connect(this.admin, sub);
    const admin = await this.principalOf(this.admin);
    const tools = this.server.app.get(ToolsService);
    const reads = (await tools.listOf(admin, this.connectionId)).find(({ upstreamName }) => upstreamName === 'whoami')!;
    await tools.confirm(admin, reads.id, 'read', reads.definitionHash);
  }

  async toolNames(): Promise<string[]> {
    const tools = await this.server.app.get(ToolsService).listOf(await this.principalOf(this.admin), this.connectionId);
    return tools.map(({ name }) => name);
  }
}

/** The error notice of a page. */
export const pageNotice = (page: string): string | undefined =>
  /<p class="notice"[^>]*>([^<]*)</.exec(page)?.[1].replaceAll('&quot;', '"').trim();
