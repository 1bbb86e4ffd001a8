import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  ConnectorRegistry,
  type ConnectionContext,
  type Connector,
  type DiscoveredTool,
  type ConnectorCall,
  type ToolResult,
  type Verification,
} from '../../../connections/connector-registry.service.js';
import { delegationInputSchema, toDelegationParts } from '../delegation-input.js';
import { AgentCardClient, cardFailureReason } from './agent-card-client.service.js';
import { type RemoteAgent, confirmedServerOf } from './remote-card.js';
import { RemoteDelegationsService } from './remote-delegations.service.js';

const remoteAgentInputSchema = delegationInputSchema('Data for the task.');

/** Delegates tasks to an A2A agent that another party runs. */
@Injectable()
export class RemoteAgentConnector implements Connector, OnModuleInit {
  readonly id = 'a2a';
  readonly title = 'Remote agent';
  readonly about = 'Delegates tasks to an external A2A agent.';
  readonly setUp =
    'Enter the address of the agent or of its card. The agent receives the task, but not the identity of the caller: it acts with the rights of the credential that you enter. ' +
    'After saving, each skill of its card appears as a tool. Unreviewed tools require approval. If the card changes, the changed tools are blocked until you review them.';
  readonly offers = ['tools'] as const;
  readonly showsPartialResults = true;
  readonly fields = [
    {
      name: 'url',
      label: 'Address',
      type: 'url',
      required: true,
      help: 'For example https://agent.example.com, or the full address of its agent-card.json.',
    },
    {
      name: 'token',
      label: 'Credential',
      type: 'secret',
      required: false,
      help: 'A bearer token, an API key, or user:password. The card determines how it is sent.',
    },
    {
      name: 'endpoint',
      label: 'Interface',
      type: 'url',
      required: false,
      help: 'Only if the card names an interface on another host: the address of the interface. It receives the credential.',
    },
  ] as const satisfies Connector['fields'];

  constructor(
    private readonly connectors: ConnectorRegistry,
    private readonly agents: AgentCardClient,
    private readonly delegations: RemoteDelegationsService,
  ) {}

  onModuleInit(): void {
    this.connectors.register(this);
  }

  async verify(context: ConnectionContext): Promise<Verification> {
    try {
      const { requiresCredentials } = await this.agents.fetchAgent(context);
      return requiresCredentials && !context.secret('token')
        ? { status: 'limited', reason: 'The agent requires a credential, and none is set. Enter one.' }
        : { status: 'connected' };
    } catch (error) {
      context.log.info({ err: error, connectionId: context.connection.id }, 'agent card could not be read');
      return { status: 'failed', reason: cardFailureReason(error) };
    }
  }

  async tools(context: ConnectionContext): Promise<DiscoveredTool[]> {
    const agent = await this.agents.fetchAgent(context);
    const skills = agent.skills.length
      ? agent.skills
      : [{ id: 'hand_over', name: agent.name, description: '', tags: [] }];
    return skills.map((skill) => toTool(agent, skill));
  }

  execute(context: ConnectionContext, call: ConnectorCall): Promise<ToolResult> {
    const { origin, idempotencyKey: callId, tool: skill, arguments: args, server } = call;
    if (!origin) throw new Error('a delegation needs the origin of its call');
    return this.delegations.delegateOrPoll(context, {
      callId,
      behalf: origin,
      skill,
      parts: toDelegationParts(args),
      server,
    });
  }
}

function toTool(agent: RemoteAgent, { id, name, description, tags }: RemoteAgent['skills'][number]): DiscoveredTool {
  const lines = [`Delegates a task to the agent "${agent.name}". ${agent.description}`.trim(), description];
  if (tags.length) lines.push(`Tags: ${tags.join(', ')}.`);
  return {
    name: id,
    operation: 'delegation',
    title: name,
    description: lines.filter(Boolean).join('\n'),
    inputSchema: remoteAgentInputSchema,
    server: confirmedServerOf(agent),
  };
}
