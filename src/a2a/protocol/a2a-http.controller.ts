import { Controller, Delete, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { HttpBindingService } from './http-binding.service.js';
import { actionPaths, v03Path, v1Path } from './http-paths.js';
import { type WireFormat, v03Format, v1Format } from './http-wire-formats.js';

const pushConfigs = 'tasks/:taskId/pushNotificationConfigs';
const pushPaths = [pushConfigs, `${pushConfigs}/:pushConfigId`];

/**
 * The routes of all versions. Ids may contain colons, so `:cancel` and `:subscribe` come before `tasks/:taskId`.
 * Nest registers the routes of a subclass before these.
 */
abstract class HttpBindingController {
  protected abstract readonly format: WireFormat;

  constructor(protected readonly binding: HttpBindingService) {}

  @Post(actionPaths('message', 'send'))
  send(@Req() request: Request, @Res() response: Response) {
    return this.binding.send({ request, response, format: this.format });
  }

  @Post(actionPaths('message', 'stream'))
  stream(@Req() request: Request, @Res() response: Response) {
    return this.binding.sendAndStream({ request, response, format: this.format });
  }

  @Post(actionPaths('tasks/:taskId', 'cancel'))
  cancel(@Req() request: Request, @Res() response: Response, @Param('taskId') id: string) {
    return this.binding.cancel({ request, response, format: this.format }, id);
  }

  /** POST in the protocol's tables. */
  @Post(actionPaths('tasks/:taskId', 'subscribe'))
  subscribe(@Req() request: Request, @Res() response: Response, @Param('taskId') id: string) {
    return this.binding.subscribe({ request, response, format: this.format }, id);
  }

  /** GET in the protocol's protocol buffers. */
  @Get(actionPaths('tasks/:taskId', 'subscribe'))
  subscribeByGet(@Req() request: Request, @Res() response: Response, @Param('taskId') id: string) {
    return this.binding.subscribe({ request, response, format: this.format }, id);
  }

  @Get(pushPaths)
  getPushConfig(@Req() request: Request, @Res() response: Response) {
    return this.binding.refusePushNotifications({ request, response, format: this.format });
  }

  @Post(pushPaths)
  setPushConfig(@Req() request: Request, @Res() response: Response) {
    return this.binding.refusePushNotifications({ request, response, format: this.format });
  }

  @Delete(pushPaths)
  deletePushConfig(@Req() request: Request, @Res() response: Response) {
    return this.binding.refusePushNotifications({ request, response, format: this.format });
  }

  @Get('tasks/:taskId')
  get(@Req() request: Request, @Res() response: Response, @Param('taskId') id: string) {
    return this.binding.get({ request, response, format: this.format }, id);
  }

  @Get('*path')
  unknownGet(@Req() request: Request, @Res() response: Response) {
    return this.binding.refuseUnknown({ request, response, format: this.format });
  }

  @Post('*path')
  unknownPost(@Req() request: Request, @Res() response: Response) {
    return this.binding.refuseUnknown({ request, response, format: this.format });
  }

  @Delete('*path')
  unknownDelete(@Req() request: Request, @Res() response: Response) {
    return this.binding.refuseUnknown({ request, response, format: this.format });
  }
}

/** Version 1.0 of HTTP+JSON. */
@Controller(`agents/:configurationId/${v1Path}`)
@Authenticate('a2a-key')
@Allow()
export class A2aHttpController extends HttpBindingController {
  protected readonly format = v1Format;

  constructor(binding: HttpBindingService) {
    super(binding);
  }

  @Get('tasks')
  list(@Req() request: Request, @Res() response: Response) {
    return this.binding.list({ request, response, format: this.format });
  }

  @Get('extendedAgentCard')
  card(@Req() request: Request, @Res() response: Response) {
    return this.binding.card({ request, response, format: this.format });
  }
}

/** Version 0.3 of HTTP+JSON. */
@Controller(`agents/:configurationId/${v03Path}`)
@Authenticate('a2a-key')
@Allow()
export class LegacyA2aHttpController extends HttpBindingController {
  protected readonly format = v03Format;

  constructor(binding: HttpBindingService) {
    super(binding);
  }

  @Get('card')
  card(@Req() request: Request, @Res() response: Response) {
    return this.binding.card({ request, response, format: this.format });
  }
}
