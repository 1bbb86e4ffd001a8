import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type OwnCall, OwnCallsService } from '../../gate/own-calls.service.js';
import { Config } from '../../platform/config/config.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { McpHandlerRunner } from '../mcp-handler-runner.service.js';
import type { IncomingRequest } from '../incoming-request.js';
import type { McpCaller } from '../mcp-caller.js';
import { supportsTasks, tasksExtension } from './client-capabilities.js';
import { toDetailedTask } from './mcp-task.js';

const taskParams = z.looseObject({ taskId: z.string().max(100) });

/** `tasks/get`, `tasks/update` and `tasks/cancel` of the extension, for the caller and client that made the call. */
@Injectable()
export class McpTaskRequestHandler {
  constructor(
    private readonly calls: OwnCallsService,
    private readonly mcpHandlerRunner: McpHandlerRunner,
    private readonly config: Config,
  ) {}

  register(server: Server, caller: McpCaller, incoming: IncomingRequest): void {
    const handle = (method: string, run: (call: OwnCall) => JsonObject | Promise<JsonObject>) =>
      server.setRequestHandler(method, { params: taskParams }, ({ taskId }) =>
        this.mcpHandlerRunner.run(caller, incoming, async () => run(await this.find(caller, taskId))),
      );
    handle('tasks/get', (call) => toDetailedTask(call, this.config));
    // No input is ever outstanding: people decide on our page after sign-in, never through a client.
    handle('tasks/update', () => ({}));
    handle('tasks/cancel', async ({ callId }) => {
      await this.calls.withdraw(caller.principal, callId);
      return {};
    });
  }

  private async find(caller: McpCaller, taskId: string): Promise<OwnCall> {
    if (!supportsTasks(caller))
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: { extensions: { [tasksExtension]: {} } },
      });
    const call = await this.calls.find(caller.principal, taskId);
    if (call?.configurationId !== caller.configurationId)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'Task not found. You can access only tasks of calls that you made with this client.',
      );
    return call;
  }
}
