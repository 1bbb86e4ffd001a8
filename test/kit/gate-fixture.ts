import { AgentsService } from '../../src/configurations/agents.service.js';
import { ConfigurationsService } from '../../src/configurations/configurations.service.js';
import { KeysService } from '../../src/configurations/keys.service.js';
import type { Member } from '../../src/access/member.entity.js';
import { MemberStatusService } from '../../src/access/member-status.service.js';
import { SessionsService } from '../../src/access/sessions.service.js';
import { ConnectionsService } from '../../src/connections/connections.service.js';
import { ToolsService } from '../../src/connections/tools.service.js';
import { GateService, type CallOutcome } from '../../src/gate/gate.service.js';
import { permissionsOfRoles } from '../../src/principal/permissions.js';
import { newId } from '../../src/platform/crypto/ids.js';
import { PoliciesService } from '../../src/policies/policies.service.js';
import type { Principal } from '../../src/principal/principal.js';
import { anOrganization, type Organization } from './organization.js';
import type { TestServer } from './server.js';
import type { Workplace } from './workplace.js';

interface GateCallOptions {
  as?: Principal;
  task?: { id: string; leaseEpoch: number; tainted: boolean };
  /** The ref of the call in the turn of its task. By default unique for each call. */
  ref?: string;
}

/** An organization with a configuration for a real workplace, an agent owned by the first admin, and a second admin. */
export class GateFixture {
  private constructor(
    private readonly server: TestServer,
    readonly organization: Organization,
    readonly reviewer: Member,
    readonly connectionId: string,
    readonly configurationId: string,
    readonly agentId: string,
    readonly agent: Principal,
    readonly key: string,
  ) {}

  static async create(
    server: TestServer,
    workplace: Pick<Workplace, 'url'>,
    { isAlone = false } = {},
  ): Promise<GateFixture> {
    const get = <T>(service: abstract new (...args: never[]) => T): T => server.app.get<T>(service as never);
    const organization = await anOrganization(server);
    const reviewer = isAlone
      ? organization.admin
      : await organization.member({ name: 'Rita Reviewer', roles: ['admin'] });
    const admin = await sessionPrincipal(server, organization, organization.admin);
    const connection = await get(ConnectionsService).create(admin, {
      kind: 'mcp',
      name: 'Workplace',
      slug: 'workplace',
      settings: { url: workplace.url, timeoutSeconds: 5 },
      secrets: {},
    });
    for (const name of ['list_tickets', 'get_ticket', 'list_channels']) {
      const tool = (await get(ToolsService).listOf(admin, connection.id)).find(
        ({ upstreamName }) => upstreamName === name,
      )!;
      await get(ToolsService).confirm(admin, tool.id, 'read', tool.definitionHash);
    }
    const configuration = await get(ConfigurationsService).create(admin, {
      name: 'Desk',
      description: '',
      connectionIds: [connection.id],
      groupIds: [],
    });
    const agent = await get(AgentsService).create(admin, { configurationId: configuration.id, name: 'Helper' });
    const { a2aKey, key } = await get(KeysService).create(admin, agent.id);
    const principal: Principal = {
      tenantId: organization.tenant.id,
      kind: 'agent',
      name: 'Helper',
      agentId: agent.id,
      configurationId: configuration.id,
      keyId: a2aKey.id,
      surface: 'a2a',
      scopes: [],
      permissions: new Set(),
      chain: [],
    };
    return new GateFixture(server, organization, reviewer, connection.id, configuration.id, agent.id, principal, key);
  }

  get<T>(service: abstract new (...args: never[]) => T): T {
    return this.server.app.get<T>(service as never);
  }

  /** Returns a service that its module does not export. */
  getInternal<T>(service: abstract new (...args: never[]) => T): T {
    return this.server.app.get<T>(service as never, { strict: false });
  }

  call(
    tool: string,
    args: object | string,
    { as = this.agent, task, ref = newId() }: GateCallOptions = {},
  ): Promise<CallOutcome> {
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    return this.get(GateService).call(as, {
      configurationId: this.configurationId,
      tool: `workplace__${tool}`,
      arguments: text,
      task: task && { ...task, ref },
    });
  }

  principalOf(member: Member = this.organization.admin): Promise<Principal> {
    return sessionPrincipal(this.server, this.organization, member);
  }

  async publish(text: string): Promise<void> {
    await this.get(PoliciesService).publish(await this.principalOf(), this.configurationId, text);
  }

  suspend(member: Member): Promise<Member> {
    return this.principalOf().then((admin) => this.get(MemberStatusService).suspend(admin, member.id));
  }
}

/** The principal of a member in a session. */
export async function sessionPrincipal(
  server: TestServer,
  organization: Organization,
  member: Member,
): Promise<Principal> {
  const { session } = await server.app
    .get(SessionsService)
    .open(organization.system, { memberId: member.id, isFresh: true });
  return {
    tenantId: organization.tenant.id,
    kind: 'member',
    name: member.name,
    memberId: member.id,
    sessionId: session.id,
    freshAt: new Date(),
    surface: 'console',
    scopes: [],
    permissions: permissionsOfRoles(member.roles),
    chain: [],
  };
}
