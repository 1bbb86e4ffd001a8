import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { Configuration } from '../../configurations/configuration.entity.js';
import { ConfigurationsService } from '../../configurations/configurations.service.js';
import {
  ConnectorRegistry,
  type ConnectionContext,
  type Connector,
  type DiscoveredTool,
  type ConnectorCall,
  type ToolResult,
  type Verification,
} from '../../connections/connector-registry.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { InvalidField } from '../../platform/errors/problem.js';
import { DelegationsService } from './delegations.service.js';
import { delegationInputSchema, toDelegationParts } from './delegation-input.js';

const specialistInputSchema = delegationInputSchema(
  'Data that belongs to it; or, without words, exactly one call as {"tool", "arguments"}.',
);

/** Another configuration of the same organization, as a specialist that tasks are handed on to. */
@Injectable()
export class ConfigurationConnector implements Connector, OnModuleInit {
  readonly id = 'configuration';
  readonly title = 'Specialist';
  readonly about = 'Another configuration of your own organization, which tasks are handed on to.';
  readonly setUp =
    'Choose the configuration that does the work. A task that is handed on runs as the same person or agent; every call of it has to be allowed by the policies of both configurations, ' +
    'and approvals that either of them asks for are asked for. People need to be in a group that may use both.';
  readonly offers = ['tools'] as const;
  readonly speaksForUs = true;
  readonly fields = [
    {
      name: 'configuration',
      label: 'Configuration',
      type: 'configuration',
      required: true,
      help: 'Who is to do the work.',
      isTarget: true,
    },
  ] as const satisfies Connector['fields'];

  constructor(
    private readonly connectors: ConnectorRegistry,
    private readonly database: DatabaseService,
    private readonly configurations: ConfigurationsService,
    private readonly delegations: DelegationsService,
  ) {}

  onModuleInit(): void {
    this.connectors.register(this);
  }

  check({ configuration }: Record<string, unknown>): InvalidField[] {
    return isUUID(configuration)
      ? []
      : [{ pointer: '/settings/configuration', detail: 'is the id of a configuration' }];
  }

  async verify(context: ConnectionContext): Promise<Verification> {
    const to = await this.target(context);
    if (!to) return { status: 'failed', reason: 'There is no such configuration in your organization.' };
    return to.pausedAt
      ? { status: 'limited', reason: `"${to.name}" is paused: tasks that are handed on wait.` }
      : { status: 'connected' };
  }

  async tools(context: ConnectionContext): Promise<DiscoveredTool[]> {
    const to = await this.target(context);
    if (!to) return [];
    const description = `Hands a task on to "${to.name}". ${to.description}`.trim();
    return [
      {
        name: 'hand_over',
        operation: 'delegation',
        title: `Hand over to ${to.name}`,
        description,
        inputSchema: specialistInputSchema,
      },
    ];
  }

  execute(
    { settings }: ConnectionContext,
    { origin, idempotencyKey, arguments: args }: ConnectorCall,
  ): Promise<ToolResult> {
    if (!origin) throw new Error('a delegation is made for somebody');
    return this.delegations.delegateOrPoll({
      callId: idempotencyKey,
      behalf: origin,
      toId: String(settings.configuration),
      parts: toDelegationParts(args),
    });
  }

  private async target({ connection: { tenantId }, settings }: ConnectionContext): Promise<Configuration | null> {
    const id = String(settings.configuration);
    const bundle = await this.database.tenant({ tenantId }, (tx) => this.configurations.findBundle(tx, tenantId, id));
    return bundle?.configuration ?? null;
  }
}
