import { Controller, Get, HttpCode, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { TasksService } from '../tasks/tasks.service.js';
import { readTaskSubmission } from './message.js';
import { lastEventId, readHistoryLength, readListQuery, type QueryParameters } from './query.js';
import { CountsAs, RateLimitGuard } from '../limits/rate-limit.guard.js';
import { UpdateStreamsService } from './update-streams.service.js';
import { toTaskListResponse, toTaskResponse } from './task-responses.js';

/** The task API of the specification, under `{a2a_url}/agents/{config_id}`. */
@Controller('agents/:configurationId/tasks')
@Authenticate('a2a-key')
@Allow()
@UseGuards(RateLimitGuard)
export class A2aTasksController {
  constructor(
    private readonly tasks: TasksService,
    private readonly streams: UpdateStreamsService,
    private readonly config: Config,
  ) {}

  @Post('send')
  @HttpCode(200)
  @CountsAs('sends')
  async send(
    @CurrentPrincipal() principal: Principal,
    @Param('configurationId') configurationId: string,
    @Req() request: Request,
  ) {
    const { id, parts } = readTaskSubmission(request, this.config.limits);
    return toTaskResponse(await this.tasks.submit(principal, { externalId: id, configurationId, parts }));
  }

  @Post('sendSubscribe')
  @CountsAs('sends')
  async sendSubscribe(
    @CurrentPrincipal() principal: Principal,
    @Param('configurationId') configurationId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { id, parts } = readTaskSubmission(request, this.config.limits);
    const resumeAfter = lastEventId(request);
    const slot = this.streams.reserve(principal);
    try {
      const task = await this.tasks.submit(principal, { externalId: id, configurationId, parts });
      // A repeated send gets all updates. A further message gets only the updates that follow it.
      const from = task.outcome === 'continued' ? task.number - 1 : task.outcome === 'stored' ? task.number : 0;
      this.streams.open(principal, task, resumeAfter ?? from, slot, request, response);
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  @Get()
  @CountsAs('reads')
  async list(@CurrentPrincipal() principal: Principal, @Query() query: QueryParameters) {
    return toTaskListResponse(await this.tasks.list(principal, readListQuery(query)));
  }

  @Get(':taskId')
  @CountsAs('reads')
  async get(
    @CurrentPrincipal() principal: Principal,
    @Param('taskId') taskId: string,
    @Query() query: QueryParameters,
  ) {
    const historyLength = readHistoryLength(query);
    const task = await this.tasks.get(principal, taskId);
    return toTaskResponse(
      task,
      historyLength === undefined ? undefined : await this.tasks.history(principal, task, historyLength),
    );
  }

  @Get(':taskId/events')
  @CountsAs('reads')
  async events(
    @CurrentPrincipal() principal: Principal,
    @Param('taskId') taskId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const after = lastEventId(request) ?? 0;
    const task = await this.tasks.get(principal, taskId);
    this.streams.open(principal, task, after, this.streams.reserve(principal), request, response);
  }

  @Post(':taskId/cancel')
  @HttpCode(200)
  @CountsAs('sends')
  async cancel(@CurrentPrincipal() principal: Principal, @Param('taskId') taskId: string) {
    return toTaskResponse(await this.tasks.cancel(principal, taskId));
  }
}
