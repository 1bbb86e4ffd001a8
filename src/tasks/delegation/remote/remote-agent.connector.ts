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

const remoteAgentInputSchema = delegationInputSchema('Data that belongs to it.');

/** An agent that somebody else runs, which speaks A2A. */
@Injectable()
export class RemoteAgentConnector implements Connector, OnModuleInit {
  readonly id = 'a2a';
  readonly title = 'Remote agent';
  readonly about = 'An agent that speaks A2A, wherever it runs, which tasks are handed on to.';
  readonly setUp =
    'Enter the address of the agent, or of its card. The agent hears what it is handed, and nothing of who stands behind it: it acts with the rights of the credential that you enter. ' +
    'Each skill of its card appears as a tool after saving, and counts as writing until you confirm that it only reads. Should the card change, what changed is held back until you confirm it.';
  readonly offers = ['tools'] as const;
  readonly fields = [
    {
      name: 'url',
      label: 'Address',
      type: 'url',
      required: true,
      help: 'For example https://agent.example.com, or the whole address of its agent-card.json.',
    },
    {
      name: 'token',
      label: 'Credential',
      type: 'secret',
      required: false,
      help: 'Sent as the card says: as a Bearer token, an API key, or as user:password.',
    },
    {
      name: 'endpoint',
      label: 'Interface',
      type: 'url',
      required: false,
      help: 'Only where the card names an interface on another host: its address. It is shown the credential.',
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
        ? { status: 'limited', reason: 'The card says that the agent asks for a credential, and none is entered.' }
        : { status: 'connected' };
    } catch (error) {
      context.log.info({ err: error, connectionId: context.connection.id }, 'a card could not be read');
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
    if (!origin) throw new Error('a delegation is made for somebody');
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
  const words = [`Hands a task on to the agent "${agent.name}". ${agent.description}`.trim(), description];
  if (tags.length) words.push(`Tags: ${tags.join(', ')}.`);
  return {
    name: id,
    operation: 'delegation',
    title: name,
    description: words.filter(Boolean).join('\n'),
    inputSchema: remoteAgentInputSchema,
    server: confirmedServerOf(agent),
  };
}
