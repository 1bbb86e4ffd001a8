import { Get, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { configurationNotFound } from '../configurations/configurations.error.js';
import { UsableConfigurations } from '../configurations/usable-configurations.service.js';
import { GateService } from '../gate/gate.service.js';
import {
  approvalDenied,
  approvalExpired,
  approvalUnreachable,
  notPermitted,
  outcomeUnsettled,
  paused,
  policyDenied,
  toolNotFound,
  upstreamFailed,
} from '../gate/refused.error.js';
import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';
import { memberText } from '../platform/json/source-text.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ApiController } from './api-controller.decorator.js';
import { call, callOnWire } from './calls.wire.js';
import { configuration, configurationOnWire, tool, toolOnWire } from './configurations.wire.js';
import { reserved } from './once-per-key.interceptor.js';
import { Asked, type InputOf, operation, Serves } from './operation.js';
import { Outcomes } from './outcomes.service.js';
import { inPath, nextCursor, paging, sample } from './schemas.js';

const listConfigurations = operation({
  id: 'listConfigurations',
  tag: 'Configurations',
  summary: 'Configurations that you may use',
  description: 'Those of your groups, newest first.',
  scope: 'api:read',
  query: z.strictObject(paging),
  answers: {
    200: {
      description: 'A page of them',
      schema: z.object({ configurations: z.array(configuration), nextCursor }).meta({ id: 'ConfigurationPage' }),
      example: {
        configurations: [
          {
            id: sample.configuration,
            name: 'Support desk',
            description: 'Handbook and tickets',
            isPaused: false,
            createdAt: sample.time,
          },
        ],
        nextCursor: null,
      },
    },
  },
  problems: [],
});

const listTools = operation({
  id: 'listTools',
  tag: 'Tools',
  summary: 'Tools of a configuration',
  description:
    'What the policies could let you do with this access token, by name. A token that may only read finds tools that only read.',
  scope: 'api:read',
  params: z.object({ id: inPath('The configuration') }),
  query: z.strictObject(paging),
  answers: {
    200: {
      description: 'A page of them',
      schema: z.object({ tools: z.array(tool), nextCursor }).meta({ id: 'ToolPage' }),
      example: {
        tools: [
          {
            name: 'workplace__create_ticket',
            title: 'Create a ticket',
            description: 'Opens a ticket.',
            connection: 'workplace',
            effect: 'write',
            needsApproval: true,
            inputSchema: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
            outputSchema: null,
          },
        ],
        nextCursor: null,
      },
    },
  },
  problems: [configurationNotFound],
});

const callTool = operation({
  id: 'callTool',
  tag: 'Tools',
  summary: 'Call a tool',
  description:
    'Runs the tool for you, once, where the policies allow it. Where they ask for a person, the answer is 202: the call runs by itself once it is approved, and "Location" tells its outcome. ' +
    'A tool of effect `read` needs the scope `api:read`, any other one `api:write`. The same call of a tool that changes something, made again within ten minutes, is not done twice: its outcome is told again, as "replayed".',
  scope: 'api:read',
  params: z.object({ id: inPath('The configuration'), tool: inPath('Name of the tool') }),
  body: z.strictObject({
    arguments: z
      .record(z.string(), z.unknown(), 'has to be an object')
      .meta({ description: 'As the tool’s inputSchema says. Nothing is coerced or defaulted.' }),
  }),
  bodyExample: { arguments: { title: 'Recalibrate line 3' } },
  answers: {
    200: {
      description: 'It ran',
      schema: call,
      example: {
        id: sample.call,
        configuration: sample.configuration,
        tool: 'workplace__create_ticket',
        state: 'succeeded',
        replayed: false,
        approval: null,
        error: null,
        result: { content: [{ type: 'text', text: 'Ticket T-7 is open.' }], structured: { id: 'T-7' }, url: null },
      },
    },
    202: {
      description: 'A person has to decide, or it is still running',
      schema: call,
      headers: { Location: 'Where the outcome is told', 'Retry-After': 'When to look again, in seconds' },
      example: {
        id: sample.call,
        configuration: sample.configuration,
        tool: 'workplace__create_ticket',
        state: 'awaiting_approval',
        replayed: false,
        approval: { id: sample.approval, expiresAt: sample.time, notFourEyes: false },
        error: null,
        result: null,
      },
    },
  },
  problems: [
    configurationNotFound,
    toolNotFound,
    policyDenied,
    approvalDenied,
    approvalExpired,
    approvalUnreachable,
    notPermitted,
    paused,
    upstreamFailed,
    outcomeUnsettled,
  ],
});

@ApiController('configurations')
export class ConfigurationsController {
  constructor(
    private readonly configurations: UsableConfigurations,
    private readonly gate: GateService,
    private readonly outcomes: Outcomes,
  ) {}

  @Get()
  @Serves(listConfigurations)
  async list(@CurrentPrincipal() principal: Principal, @Asked() { query }: InputOf<typeof listConfigurations>) {
    const { configurations, nextCursor } = await this.configurations.list(principal, query);
    return { configurations: configurations.map(configurationOnWire), nextCursor };
  }

  @Get(':id/tools')
  @Serves(listTools)
  async tools(@CurrentPrincipal() principal: Principal, @Asked() { params, query }: InputOf<typeof listTools>) {
    const { id } = await this.configurations.get(principal, params.id);
    const [after] = query.cursor ? decodeCursor(query.cursor, ['text']) : [''];
    const offered = (await this.gate.list(principal, id)).filter(({ name }) => name > after).sort(byName);
    const page = offered.slice(0, query.limit);
    const hasMore = offered.length > page.length;
    return { tools: page.map(toolOnWire), nextCursor: hasMore ? encodeCursor([page[page.length - 1].name]) : null };
  }

  @Post(':id/tools/:tool/calls')
  @Serves(callTool)
  async call(
    @CurrentPrincipal() principal: Principal,
    @Asked() { params, source }: InputOf<typeof callTool>,
    @Req() request: Request,
  ) {
    const { id: configurationId } = await this.configurations.get(principal, params.id);
    // the very bytes that were sent: what is decided about is what was written
    const asked = { configurationId, tool: params.tool, arguments: memberText(source, 'arguments')! };
    return this.outcomes.call(principal, asked, {
      at: '/arguments',
      reserved: reserved(request),
      show: (outcome) => callOnWire(configurationId, outcome),
    });
  }
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
