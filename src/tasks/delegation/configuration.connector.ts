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
  'Data for the task, or, without a message, exactly one call as {"tool", "arguments"}.',
);

/** Delegates tasks to another configuration of the same organization. */
@Injectable()
export class ConfigurationConnector implements Connector, OnModuleInit {
  readonly id = 'configuration';
  readonly title = 'Specialist';
  readonly about = 'Delegates tasks to another configuration in your organization.';
  readonly setUp =
    'Choose the configuration that does the work. A delegated task runs as the same person or agent. The policies of both configurations have to allow each of its calls, ' +
    'and an approval is required if either of them requires one. People need to be in a group that may use both.';
  readonly offers = ['tools'] as const;
  readonly speaksForUs = true;
  readonly fields = [
    {
      name: 'configuration',
      label: 'Configuration',
      type: 'configuration',
      required: true,
      help: 'The configuration that does the work.',
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
    if (!to)
      return { status: 'failed', reason: 'The configuration does not exist in your organization. Choose another one.' };
    return to.pausedAt
      ? { status: 'limited', reason: `"${to.name}" is paused. Delegated tasks wait until it is resumed.` }
      : { status: 'connected' };
  }

  async tools(context: ConnectionContext): Promise<DiscoveredTool[]> {
    const to = await this.target(context);
    if (!to) return [];
    const description = `Delegates a task to "${to.name}". ${to.description}`.trim();
    return [
      {
        name: 'hand_over',
        operation: 'delegation',
        title: `Delegate to ${to.name}`,
        description,
        inputSchema: specialistInputSchema,
      },
    ];
  }

  execute(
    { settings }: ConnectionContext,
    { origin, idempotencyKey, arguments: args }: ConnectorCall,
  ): Promise<ToolResult> {
    if (!origin) throw new Error('a delegation needs the origin of its call');
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
