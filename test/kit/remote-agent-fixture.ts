import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ConfigurationsService } from '../../src/configurations/configurations.service.js';
import type { Connection } from '../../src/connections/connection.entity.js';
import { ConnectionsService } from '../../src/connections/connections.service.js';
import { DatabaseService } from '../../src/platform/database/database.service.js';
import { PoliciesService } from '../../src/policies/policies.service.js';
import type { Principal } from '../../src/principal/principal.js';
import type { GateFixture } from './gate-fixture.js';
import { type RemoteAgentOptions, RemoteAgent } from './remote-agent.js';
import { newTaskId, type Wire, wireOf } from './wire.js';
import { runSql } from './run-sql.js';

export interface RemoteAgentConnection {
  agent: RemoteAgent;
  connection: Connection;
  slug: string;
}
export interface CallRow {
  id: string;
  state: string;
  code: string | null;
  reason: string | null;
}

/** Remote agents that the configuration can delegate tasks to; the policies require no approval. */
export class RemoteAgentFixture {
  private readonly agents: RemoteAgent[] = [];

  private constructor(
    readonly fixture: GateFixture,
    readonly admin: Principal,
    readonly wire: Wire,
  ) {}

  static async create(fixture: GateFixture, url: string): Promise<RemoteAgentFixture> {
    const admin = await fixture.principalOf();
    const permits = '@id("all") permit (principal, action, resource);';
    await fixture.get(PoliciesService).publish(admin, fixture.configurationId, permits);
    return new RemoteAgentFixture(fixture, admin, wireOf(fixture, url));
  }

  /** Starts and connects a new remote agent, as the only one of the configuration. */
  async connect(
    form: RemoteAgentOptions = {},
    slug = `weather_${randomUUID().slice(0, 8)}`,
  ): Promise<RemoteAgentConnection> {
    const agent = await this.startAgent(form);
    const settings = { url: agent.url };
    const secrets: Record<string, string> = form.token ? { token: form.token } : {};
    const connection = await this.fixture
      .get(ConnectionsService)
      .create(this.admin, { kind: 'a2a', name: slug, slug, settings, secrets });
    const { configurationId, connectionId } = this.fixture;
    const connectionIds = [connectionId, connection.id];
    await this.fixture.get(ConfigurationsService).update(this.admin, { configurationId, connectionIds });
    return { agent, connection, slug };
  }

  async startAgent(form: RemoteAgentOptions): Promise<RemoteAgent> {
    const agent = await RemoteAgent.start(form);
    this.agents.push(agent);
    return agent;
  }

  /** Returns the id of the delegating task. */
  async delegate({ slug }: RemoteAgentConnection, message: string): Promise<string> {
    const id = newTaskId();
    await this.wire.send(id, { tool: `${slug}__forecast`, arguments: { message } });
    return id;
  }

  /** Delegates a task and waits until the agent works on it. */
  async delegateAndHold(connection: RemoteAgentConnection): Promise<string> {
    const id = await this.delegate(connection, 'hold on');
    const known = 'select 1 from remote_delegations where call_id = $1 and remote_task_id is not null';
    const isKnown = async () => this.query(known, [(await this.latestCall(id))?.id]);
    await expect.poll(isKnown, { timeout: 120_000 }).toHaveLength(1);
    return id;
  }

  /** The newest call of the delegating task that was sent, or the newest one if none was sent. */
  async latestCall(id: string): Promise<CallRow> {
    const [call] = await this.query<CallRow>(
      `select c.id, c.state, c.code, c.reason from tool_calls c join tasks t on t.id = c.task_id::uuid
       where t.external_id = $1 order by c.executed_at is null, c.requested_at desc limit 1`,
      [id],
    );
    return call;
  }

  query<T>(text: string, values: unknown[] = []): Promise<T[]> {
    return this.fixture.get(DatabaseService).tenant(this.fixture.agent, (tx) => runSql(tx, text, values));
  }

  async stop(): Promise<void> {
    for (const agent of this.agents.splice(0)) {
      agent.intercept = undefined;
      agent.faultFor = undefined;
      agent.releaseHeld();
      await agent.stop();
    }
  }
}
