import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import { Config } from '../../platform/config/config.js';
import type { Fault } from '../../platform/errors/problem.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import {
  ConnectionKinds,
  type ConnectionContext,
  type ConnectionField,
  type ConnectorKind,
  type DiscoveredTool,
  type DocumentsContext,
  type SourceDocument,
  type ToolCall,
  type Verification,
} from '../connection-kinds.service.js';
import { UnreadableDocument } from '../connections.error.js';
import type { ToolResult } from '../tools.service.js';
import { McpClients, type Journey, type McpTarget } from './mcp-clients.service.js';
import { documentOf, fingerprint, readResource, resourcesOf, unreadable } from './mcp-documents.js';
import { callFailure, explain } from './mcp-failures.js';
import { toResult } from './mcp-result.js';
import { McpTargets, usualTimeoutSeconds } from './mcp-targets.service.js';

const idempotencyKey = 'io.countersign/idempotency-key';

/** Any server that speaks the Model Context Protocol: over HTTP, or as a command that the operator has listed. */
@Injectable()
export class McpKind implements ConnectorKind, OnModuleInit {
  readonly id = 'mcp';
  readonly title = 'MCP server';
  readonly setUp =
    'Enter the address of the server’s MCP endpoint (it often ends in /mcp) and, if the server asks for one, a token of an account that has no more rights than agents shall have. ' +
    'Tools that the server offers appear after saving; each counts as writing until you confirm that it only reads. ' +
    'A server that runs as a command on this machine can be chosen if the operator has listed it.';
  readonly fields: readonly ConnectionField[];
  readonly offers = ['tools', 'knowledge'] as const;
  readonly pullCadence = '15m';

  constructor(
    config: Config,
    private readonly kinds: ConnectionKinds,
    private readonly clients: McpClients,
    private readonly targets: McpTargets,
  ) {
    this.fields = [
      { name: 'url', label: 'Address', type: 'url', required: false, help: 'For example https://mcp.example.com/mcp' },
      {
        name: 'token',
        label: 'Token',
        type: 'secret',
        required: false,
        help: 'Sent as "Authorization: Bearer …", unless another header is named.',
      },
      {
        name: 'header',
        label: 'Header of the token',
        type: 'text',
        required: false,
        help: 'For servers that want it elsewhere, such as X-Api-Key.',
      },
      {
        name: 'command',
        label: 'Command',
        type: 'choice',
        required: false,
        help: 'Instead of an address: a server on this machine, from the operator’s list.',
        options: config.stdioCommands.map(({ name }) => name),
        isTarget: true,
      },
      {
        name: 'timeoutSeconds',
        label: 'Longest answer',
        type: 'number',
        required: false,
        help: `Seconds to wait for an answer; ${usualTimeoutSeconds} when empty, at most 300.`,
      },
      {
        name: 'groups',
        label: 'Only for groups',
        type: 'list',
        required: false,
        help: 'Names of groups that may read its resources as knowledge. Empty: everybody who may use a configuration with this connection.',
      },
    ];
  }

  onModuleInit(): void {
    this.kinds.register(this);
  }

  check({ url, command, header, timeoutSeconds }: Record<string, unknown>): Fault[] {
    const faults: Fault[] = [];
    if (!url === !command)
      faults.push({ pointer: '/settings/url', detail: 'either an address or a command is needed, and not both' });
    if (header !== undefined && (!/^[A-Za-z][A-Za-z0-9-]{0,60}$/.test(String(header)) || isOurs(String(header))))
      faults.push({ pointer: '/settings/header', detail: 'is no name of a header that can carry a token' });
    if (typeof timeoutSeconds === 'number' && (timeoutSeconds < 1 || timeoutSeconds > 300)) {
      faults.push({ pointer: '/settings/timeoutSeconds', detail: 'is between 1 and 300' });
    }
    return faults;
  }

  async verify(context: ConnectionContext): Promise<Verification> {
    try {
      const target = await this.targets.of(context);
      return await this.clients.use(target, context.signal, async (client) => {
        const offers = client.getServerCapabilities() ?? {};
        const options = { signal: context.signal, timeout: target.timeoutMs, cacheMode: 'refresh' } as const;
        const tools = offers.tools ? (await client.listTools(undefined, options)).tools : [];
        if (!tools.length && !offers.resources)
          return { status: 'limited', reason: 'The server offers no tools and no resources.' };
        return { status: 'connected' };
      });
    } catch (error) {
      return { status: 'failed', reason: explain(error) };
    }
  }

  async tools(context: ConnectionContext): Promise<DiscoveredTool[]> {
    const target = await this.targets.of(context);
    return this.clients.use(target, context.signal, async (client) => {
      if (!client.getServerCapabilities()?.tools) return [];
      const options = { signal: context.signal, timeout: target.timeoutMs, cacheMode: 'refresh' } as const;
      const { tools } = await client.listTools(undefined, options);
      const server = {
        name: client.getServerVersion()?.name ?? '',
        at: 'command' in target.at ? target.at.command.name : target.at.url.origin,
      };
      return tools.map(({ name, title, description, inputSchema, outputSchema, annotations }) => ({
        name,
        title: title ?? annotations?.title,
        description,
        inputSchema: inputSchema as JsonObject,
        outputSchema: outputSchema as JsonObject | undefined,
        annotations: annotations as JsonObject | undefined,
        server,
      }));
    });
  }

  async execute(
    context: ConnectionContext,
    { tool, inputSchema, outputSchema, arguments: args, idempotencyKey: key }: ToolCall,
  ): Promise<ToolResult> {
    const journey: Journey = { isSent: false };
    try {
      const target = await this.targets.of(context);
      const answer = await this.clients.use(
        target,
        context.signal,
        (client) =>
          client.callTool(
            { name: tool, arguments: args, _meta: { [idempotencyKey]: key } },
            // our own copy of the definition: no retry behind our back, and the answer is judged by us
            {
              signal: context.signal,
              timeout: target.timeoutMs,
              toolDefinition: { name: tool, inputSchema: { ...inputSchema, type: 'object' } },
            },
          ),
        journey,
      );
      return toResult(answer as CallToolResult, outputSchema);
    } catch (error) {
      if (error instanceof ProtocolError) return refusal(error);
      throw callFailure(error, journey.isSent);
    }
  }

  async *documents(context: DocumentsContext): AsyncGenerator<SourceDocument> {
    const target = await this.targets.of(context);
    const { signal } = context;
    const timeout = target.timeoutMs;
    const options = { signal, timeout, cacheMode: 'bypass' } as const;
    const isOffered = await this.clients.use(
      target,
      signal,
      async (client) => client.getServerCapabilities()?.resources !== undefined,
    );
    if (!isOffered) return;
    const listPage = (cursor?: string) =>
      this.clients.use(target, signal, (client) =>
        client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } }, options),
      );
    for await (const resource of resourcesOf(listPage)) {
      const problem = unreadable(resource);
      if (problem) {
        context.skipped(resource.uri, problem);
        continue;
      }
      const read = () => this.read(target, resource.uri, signal);
      const document = documentOf(resource, read);
      if (document.fingerprint !== null) {
        yield { ...document, fingerprint: document.fingerprint };
        continue;
      }
      try {
        const content = await read();
        yield {
          ...document,
          content,
          fingerprint: fingerprint({ ...resource, content: Buffer.from(content).toString('base64') }),
        };
      } catch (error) {
        if (!(error instanceof UnreadableDocument)) throw error;
        context.skipped(resource.uri, error.message);
      }
    }
  }

  /** The server's own "no" is about this resource; anything else says nothing about it, and the walk is not complete. */
  private async read(target: McpTarget, uri: string, signal: AbortSignal): Promise<string | Uint8Array> {
    try {
      return await this.clients.use(target, signal, (client) => readResource(client, uri, signal, target.timeoutMs));
    } catch (error) {
      throw error instanceof ProtocolError ? new UnreadableDocument(explain(error), { cause: error }) : error;
    }
  }
}

/** Headers that the protocol itself sends. */
const isOurs = (header: string) =>
  /^(host|connection|accept|te|upgrade|expect|transfer-encoding|content-.*|mcp-.*|last-event-id|traceparent|tracestate)$/i.test(
    header,
  );

/** An error of the protocol is an answer, too: the server says that it did not do it. */
const refusal = (error: ProtocolError): ToolResult => ({
  content: [{ type: 'text', text: error.message.toWellFormed().replaceAll('\0', '\ufffd').slice(0, 4000) }],
  isError: true,
  outside: true,
});
