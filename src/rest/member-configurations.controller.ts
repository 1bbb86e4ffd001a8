import { Get, Injectable, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { configurationNotFound } from '../configurations/configurations.error.js';
import { UsableConfigurationsService } from '../configurations/usable-configurations.service.js';
import { GateService, type ListedTool } from '../gate/gate.service.js';
import {
  approvalDenied,
  approvalExpired,
  approvalUnreachable,
  notPermitted,
  outcomeUnsettled,
  gatePaused,
  policyDenied,
  toolNotFound,
  upstreamFailed,
} from '../gate/call-outcome.error.js';
import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';
import { memberText } from '../platform/json/source-text.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { callSchema, toApiCall } from './calls.wire.js';
import { configurationSchema, toApiConfiguration, toolSchema, toApiTool } from './configurations.wire.js';
import { reservedIdOf } from './idempotency-key.interceptor.js';
import { OperationRequest, type OperationInput, defineOperation, Serves } from './operation.js';
import { ApiCallsService } from './api-calls.service.js';
import { pathParameter, nextCursorSchema, textSchema, pagingParameters, exampleValues } from './schemas.js';

const listConfigurations = defineOperation({
  id: 'listConfigurations',
  tag: 'Configurations',
  summary: 'List the configurations that you may use',
  description: 'The configurations of your groups, newest first.',
  scope: 'api:read',
  query: z.strictObject(pagingParameters),
  answers: {
    200: {
      description: 'A page of configurations',
      schema: z
        .object({ configurations: z.array(configurationSchema), nextCursor: nextCursorSchema })
        .meta({ id: 'ConfigurationPage' }),
      example: {
        configurations: [
          {
            id: exampleValues.configuration,
            name: 'Support desk',
            description: 'Handbook and tickets',
            isPaused: false,
            createdAt: exampleValues.time,
          },
        ],
        nextCursor: null,
      },
    },
  },
  problems: [],
});

const listTools = defineOperation({
  id: 'listTools',
  tag: 'Tools',
  summary: 'List the tools of a configuration',
  description:
    'The tools that the policies could allow you with this access token, by name, optionally only those with certain words. A token with read access gets only read-only tools.',
  scope: 'api:read',
  params: z.object({ id: pathParameter('Id of the configuration') }),
  query: z.strictObject({
    words: textSchema(200)
      .optional()
      .meta({ description: 'Only tools whose name, title or description contains all of these words' }),
    ...pagingParameters,
  }),
  answers: {
    200: {
      description: 'A page of tools',
      schema: z.object({ tools: z.array(toolSchema), nextCursor: nextCursorSchema }).meta({ id: 'ToolPage' }),
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

const callTool = defineOperation({
  id: 'callTool',
  tag: 'Tools',
  summary: 'Call a tool',
  description:
    'Runs the tool for you once if the policies allow it. If they require an approval, the response is 202: the call runs automatically once it is approved, and "Location" returns its outcome. ' +
    'A tool with the effect `read` requires the scope `api:read`, any other tool `api:write`. An identical call of a tool that changes something is not executed again within ten minutes: it returns the outcome of the first call with "replayed".',
  scope: 'api:read',
  params: z.object({ id: pathParameter('Id of the configuration'), tool: pathParameter('Name of the tool') }),
  body: z.strictObject({
    arguments: z
      .record(z.string(), z.unknown(), 'has to be an object')
      .meta({ description: 'Must match the tool’s inputSchema. Values are neither coerced nor filled with defaults.' }),
  }),
  bodyExample: { arguments: { title: 'Recalibrate line 3' } },
  answers: {
    200: {
      description: 'The call was executed',
      schema: callSchema,
      example: {
        id: exampleValues.call,
        configuration: exampleValues.configuration,
        tool: 'workplace__create_ticket',
        state: 'succeeded',
        replayed: false,
        approval: null,
        error: null,
        result: { content: [{ type: 'text', text: 'Ticket T-7 is open.' }], structured: { id: 'T-7' }, url: null },
        edit: null,
      },
    },
    202: {
      description: 'The call is pending approval or still running',
      schema: callSchema,
      headers: { Location: 'URL of the call', 'Retry-After': 'Seconds until the next request' },
      example: {
        id: exampleValues.call,
        configuration: exampleValues.configuration,
        tool: 'workplace__create_ticket',
        state: 'awaiting_approval',
        replayed: false,
        approval: { id: exampleValues.approval, expiresAt: exampleValues.time, notFourEyes: false },
        error: null,
        result: null,
        edit: null,
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
    gatePaused,
    upstreamFailed,
    outcomeUnsettled,
  ],
});

@Injectable()
export abstract class MemberConfigurationsController {
  constructor(
    private readonly configurations: UsableConfigurationsService,
    private readonly gate: GateService,
    private readonly apiCalls: ApiCallsService,
  ) {}

  @Get()
  @Serves(listConfigurations)
  async list(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() { query }: OperationInput<typeof listConfigurations>,
  ) {
    const { configurations, nextCursor } = await this.configurations.list(principal, query);
    return { configurations: configurations.map(toApiConfiguration), nextCursor };
  }

  @Get(':id/tools')
  @Serves(listTools)
  async tools(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() { params, query }: OperationInput<typeof listTools>,
  ) {
    const { id } = await this.configurations.get(principal, params.id);
    const [after] = query.cursor ? decodeCursor(query.cursor, ['text']) : [''];
    const isFound = wordFilter(query.words);
    const tools = (await this.gate.list(principal, id))
      .filter((tool) => tool.name > after && isFound(tool))
      .sort(byName);
    const page = tools.slice(0, query.limit);
    const hasMore = tools.length > page.length;
    return { tools: page.map(toApiTool), nextCursor: hasMore ? encodeCursor([page[page.length - 1].name]) : null };
  }

  @Post(':id/tools/:tool/calls')
  @Serves(callTool)
  async call(
    @CurrentPrincipal() principal: Principal,
    @OperationRequest() { params, source }: OperationInput<typeof callTool>,
    @Req() request: Request,
  ) {
    const { id: configurationId } = await this.configurations.get(principal, params.id);
    // the raw bytes of the request: approvers decide on exactly what was sent
    const callRequest = { configurationId, tool: params.tool, arguments: memberText(source, 'arguments')! };
    return this.apiCalls.call(principal, callRequest, {
      argumentsPointer: '/arguments',
      reserved: reservedIdOf(request),
      toBody: (outcome) => toApiCall(configurationId, outcome),
    });
  }
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

function wordFilter(words = ''): (tool: Pick<ListedTool, 'name' | 'title' | 'description'>) => boolean {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ name, title, description }) => {
    const text = `${name}\n${title}\n${description}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  };
}
