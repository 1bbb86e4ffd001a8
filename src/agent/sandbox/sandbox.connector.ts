import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  ConnectorRegistry,
  type Connector,
  type DiscoveredTool,
  type ConnectorCall,
  type ToolResult,
  type Verification,
} from '../../connections/connector-registry.service.js';
import { ownTool } from './approval.js';
import { defaultBehaviors } from './sandbox.model.js';

export const sandboxConnectorId = 'sandbox';

/** A model that simulates tasks for tests of A2A clients. Its tool does nothing and exists to test approvals. */
@Injectable()
export class SandboxConnector implements Connector, OnModuleInit {
  readonly id = sandboxConnectorId;
  readonly title = 'Sandbox';
  readonly about =
    'Simulates tasks in every state so that developers can test their agents. Needs no language model and costs nothing.';
  readonly setUp =
    'Create a separate configuration and select the sandbox as its language model. The first word of a message selects the scenario, for example "complete", "fail", "ask", "slow 10" or "stream 20". The public A2A test kits work too. ' +
    'To test approvals, add the sandbox to the configuration and require an approval for its tool "act", which does nothing.';
  readonly offers = ['model', 'tools'] as const;
  readonly speaksForUs = true;
  readonly fields = [
    {
      name: 'otherwise',
      label: 'Any other message',
      type: 'choice',
      required: false,
      help: 'Behavior for messages without a command. The A2A 0.3 test kit expects that the sandbox works for a second and then asks for more.',
      options: defaultBehaviors,
      optionLabels: ['Return the message', 'Ask for more'],
    },
    {
      name: 'requiredExtension',
      label: 'Required extension',
      type: 'text',
      required: false,
      help: 'URI of an A2A extension. The agent card marks it as required, and messages from clients that do not request it are rejected.',
    },
  ] as const satisfies Connector['fields'];

  constructor(private readonly connectors: ConnectorRegistry) {}

  onModuleInit(): void {
    this.connectors.register(this);
  }

  verify(): Promise<Verification> {
    return Promise.resolve({ status: 'connected' });
  }

  tools(): Promise<DiscoveredTool[]> {
    return Promise.resolve([
      {
        name: ownTool,
        title: 'Do nothing',
        description: 'Does nothing. Use it to test policies that allow, deny or require an approval.',
        inputSchema: {
          type: 'object',
          properties: { note: { type: 'string', maxLength: 1000, description: 'Shown to the approver.' } },
          additionalProperties: false,
        },
      },
    ]);
  }

  execute = (_context: unknown, { arguments: { note } }: ConnectorCall): Promise<ToolResult> =>
    Promise.resolve({
      content: [{ type: 'text', text: typeof note === 'string' ? `Nothing was done: ${note}` : 'Nothing was done.' }],
      isError: false,
      outside: false,
    });
}
