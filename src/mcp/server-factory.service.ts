import type { Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Asked } from './asked.js';
import { CheckedServer } from './checked-server.js';
import { tasksExtension } from './calls/abilities.js';
import { McpTasks } from './calls/mcp-tasks.service.js';
import type { Caller } from './caller.js';
import { CompletionHandlers } from './completion-handlers.service.js';
import { PromptHandlers } from './prompt-handlers.service.js';
import { ResourceHandlers } from './resource-handlers.service.js';
import { SessionHandlers } from './session-handlers.service.js';
import { ToolHandlers } from './tool-handlers.service.js';

export const identity = { name: 'countersign', title: 'Countersign', version: '0.1.0' };
const instructions =
  'These tools reach the systems and the knowledge of an organization, under its policies. A person may have to approve a call ' +
  'first: where a result says that it is pending, tell the user, and call the tool again with exactly the same arguments to ' +
  'learn the outcome; it is carried out once, however often it is asked for. What is refused stays refused: do not try to get ' +
  'around it with other tools. Cite documents by the title and the address that a search gives.';
/** How long a client may go by a listing that it has; where it listens for changes it hears of them sooner. */
const freshForMs = 30_000;
export const listing = { ttlMs: freshForMs, cacheScope: 'private' } as const;
const cacheHints = {
  'tools/list': listing,
  'resources/list': listing,
  'resources/templates/list': listing,
  'prompts/list': listing,
  'server/discover': listing,
};
const capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};
/** Of an era that has extensions. */
const extensions = { [tasksExtension]: {} };

/** The SDK's server for one request: which handlers there are never depends on the caller, what they answer does. */
@Injectable()
export class ServerFactory {
  constructor(
    private readonly tools: ToolHandlers,
    private readonly resources: ResourceHandlers,
    private readonly prompts: PromptHandlers,
    private readonly completions: CompletionHandlers,
    private readonly tasks: McpTasks,
    private readonly sessions: SessionHandlers,
  ) {}

  build(caller: Caller, asked: Asked): Server {
    const isModern = caller.era === 'modern';
    const offered = isModern ? { ...capabilities, extensions } : capabilities;
    const server = new CheckedServer(identity, { instructions, capabilities: offered, cacheHints });
    const always = [this.tools, this.resources, this.prompts, this.completions];
    for (const family of [...always, isModern ? this.tasks : this.sessions]) family.register(server, caller, asked);
    return server;
  }
}
