import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type OwnCall, OwnCalls } from '../../gate/own-calls.service.js';
import { Config } from '../../platform/config/config.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { Answering } from '../answering.service.js';
import type { Asked } from '../asked.js';
import type { Caller } from '../caller.js';
import { keepsTasks, tasksExtension } from './abilities.js';
import { detailedTask } from './task-on-wire.js';

const params = z.looseObject({ taskId: z.string().max(100) });

/** `tasks/get`, `tasks/update` and `tasks/cancel` of the extension: for whoever made the call, by the same client. */
@Injectable()
export class McpTasks {
  constructor(
    private readonly calls: OwnCalls,
    private readonly answering: Answering,
    private readonly config: Config,
  ) {}

  register(server: Server, caller: Caller, asked: Asked): void {
    const handle = (method: string, run: (call: OwnCall) => JsonObject | Promise<JsonObject>) =>
      server.setRequestHandler(method, { params }, ({ taskId }) =>
        this.answering.to(caller, asked, async () => run(await this.find(caller, taskId))),
      );
    handle('tasks/get', (call) => detailedTask(call, this.config));
    // nothing is ever outstanding: a person decides on our page, signed in, and by no answer of a client
    handle('tasks/update', () => ({}));
    handle('tasks/cancel', async ({ callId }) => {
      await this.calls.withdraw(caller.principal, callId);
      return {};
    });
  }

  private async find(caller: Caller, taskId: string): Promise<OwnCall> {
    if (!keepsTasks(caller))
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: { extensions: { [tasksExtension]: {} } },
      });
    const call = await this.calls.find(caller.principal, taskId);
    if (call?.configurationId !== caller.configurationId)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task of yours.');
    return call;
  }
}
