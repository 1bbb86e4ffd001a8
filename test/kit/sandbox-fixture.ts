import type { Member } from '../../src/access/member.entity.js';
import { AgentsService } from '../../src/configurations/agents.service.js';
import { ConfigurationsService } from '../../src/configurations/configurations.service.js';
import { KeysService } from '../../src/configurations/keys.service.js';
import { ConnectionsService } from '../../src/connections/connections.service.js';
import { PoliciesService } from '../../src/policies/policies.service.js';
import type { Principal } from '../../src/principal/principal.js';
import { sessionPrincipal } from './gate-fixture.js';
import { anOrganization, type Organization } from './organization.js';
import type { TestServer } from './server.js';
import { Wire } from './wire.js';

/**
 * An organization with a sandbox configuration that follows scripted scenarios, and a second member who can approve.
 */
export class SandboxFixture {
  private constructor(
    private readonly server: TestServer,
    readonly organization: Organization,
    readonly reviewer: Member,
    readonly admin: Principal,
    readonly connectionId: string,
    readonly configurationId: string,
    readonly key: string,
  ) {}

  static async create(server: TestServer, settings: Record<string, unknown> = {}): Promise<SandboxFixture> {
    const get = <T>(service: abstract new (...args: never[]) => T): T => server.app.get<T>(service as never);
    const organization = await anOrganization(server);
    const reviewer = await organization.member({ name: 'Rita Reviewer', roles: ['admin'] });
    const admin = await sessionPrincipal(server, organization, organization.admin);
    const { id: connectionId } = await get(ConnectionsService).create(admin, {
      kind: 'sandbox',
      name: 'Sandbox',
      slug: 'sandbox',
      settings,
      secrets: {},
    });
    const { id: configurationId } = await get(ConfigurationsService).create(admin, {
      name: 'Sandbox',
      description: 'Plays what it is asked to.',
      connectionIds: [connectionId],
      groupIds: [],
      modelConnectionId: connectionId,
    });
    const agent = await get(AgentsService).create(admin, { configurationId, name: 'Tester' });
    const { key } = await get(KeysService).create(admin, agent.id);
    return new SandboxFixture(server, organization, reviewer, admin, connectionId, configurationId, key);
  }

  /** `url`: of another server process. */
  wire(url = this.server.url): Wire {
    return new Wire(`${url}/agents/${this.configurationId}`, this.key);
  }

  async publish(text: string): Promise<void> {
    await this.server.app.get(PoliciesService).publish(this.admin, this.configurationId, text);
  }
}
