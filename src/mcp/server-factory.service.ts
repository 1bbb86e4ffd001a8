import type { Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { IncomingRequest } from './incoming-request.js';
import { CheckedServer } from './checked-server.js';
import { tasksExtension } from './calls/client-capabilities.js';
import { McpTaskRequestHandler } from './calls/mcp-task-request-handler.service.js';
import type { McpCaller } from './mcp-caller.js';
import { CompletionRequestHandler } from './completion-request-handler.service.js';
import { PromptRequestHandler } from './prompt-request-handler.service.js';
import { ResourceRequestHandler } from './resource-request-handler.service.js';
import { SessionRequestHandler } from './session-request-handler.service.js';
import { ToolRequestHandler } from './tool-request-handler.service.js';

export const serverInfo = { name: 'countersign', title: 'Countersign', version: '0.1.0' };
const instructions =
  'These tools reach the systems and the knowledge of an organization, under its policies. A person may have to approve a call ' +
  'first: where a result says that it is pending, tell the user, and call the tool again with exactly the same arguments to ' +
  'learn the outcome; it is carried out once, however often it is asked for. What is refused stays refused: do not try to get ' +
  'around it with other tools. Cite documents by the title and the address that a search gives.';
/** How long a client may use a cached listing. A client that listens for changes learns of them sooner. */
const listingTtlMs = 30_000;
export const listingCacheHint = { ttlMs: listingTtlMs, cacheScope: 'private' } as const;
const cacheHints = {
  'tools/list': listingCacheHint,
  'resources/list': listingCacheHint,
  'resources/templates/list': listingCacheHint,
  'prompts/list': listingCacheHint,
  'server/discover': listingCacheHint,
};
const capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};
/** Only the modern era supports extensions. */
const extensions = { [tasksExtension]: {} };

/** Builds the SDK's server for one request. The answers depend on the caller; the handlers depend on the era only. */
@Injectable()
export class McpServerFactory {
  constructor(
    private readonly tools: ToolRequestHandler,
    private readonly resources: ResourceRequestHandler,
    private readonly prompts: PromptRequestHandler,
    private readonly completions: CompletionRequestHandler,
    private readonly tasks: McpTaskRequestHandler,
    private readonly sessions: SessionRequestHandler,
  ) {}

  build(caller: McpCaller, incoming: IncomingRequest): Server {
    const isModern = caller.era === 'modern';
    const offered = isModern ? { ...capabilities, extensions } : capabilities;
    const server = new CheckedServer(serverInfo, { instructions, capabilities: offered, cacheHints });
    const handlers = [this.tools, this.resources, this.prompts, this.completions];
    for (const handler of [...handlers, isModern ? this.tasks : this.sessions])
      handler.register(server, caller, incoming);
    return server;
  }
}
