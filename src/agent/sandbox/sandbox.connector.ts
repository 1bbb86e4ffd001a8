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

/** A model that plays the lives of tasks for whoever tests a client; with a tool that does nothing, for the sake of its approval. */
@Injectable()
export class SandboxConnector implements Connector, OnModuleInit {
  readonly id = sandboxConnectorId;
  readonly title = 'Sandbox';
  readonly about =
    'Plays any life of a task on request, so that people can test their own agents. No language model, no cost.';
  readonly setUp =
    'Make a configuration of its own and choose this as its language model. Its agents do what a message asks them to play: "complete", "fail", "ask", "slow 10", "stream 20" and so on, or what the public A2A test kits ask for. ' +
    'To play approvals as well, bundle this with the configuration and let its policy ask for an approval of the tool "act", which does nothing.';
  readonly offers = ['model', 'tools'] as const;
  readonly speaksForUs = true;
  readonly fields = [
    {
      name: 'otherwise',
      label: 'Any other message',
      type: 'choice',
      required: false,
      help: 'What becomes of a message that asks for nothing in particular: "complete" gives it back, "ask" works for a second and asks for more, which the test kit of A2A 0.3 needs.',
      options: defaultBehaviors,
    },
    {
      name: 'requiredExtension',
      label: 'Required extension',
      type: 'text',
      required: false,
      help: 'The address of an extension of A2A. The card says that it is required, and messages of clients that do not name it are refused.',
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
        description:
          'Does nothing, and says so. It is there for policies to allow, to refuse, or to ask a person about.',
        inputSchema: {
          type: 'object',
          properties: { note: { type: 'string', maxLength: 1000, description: 'Shown to whoever approves it.' } },
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
