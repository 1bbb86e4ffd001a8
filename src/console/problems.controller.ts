import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { notFound } from '../platform/errors/general.error.js';
import { sendProblemKindPage, sendProblemKindsPage } from '../platform/http/problem-page.js';
import { Public } from '../principal/allow.decorator.js';

/** The target of a problem's "type" URL. Public, because a client that was refused must be able to read why. */
@Controller('problems')
@Public()
export class ProblemsController {
  @Get()
  list(@Res() response: Response): void {
    sendProblemKindsPage(response);
  }

  @Get(':code')
  show(@Param('code') code: string, @Res() response: Response): void {
    if (!sendProblemKindPage(response, code)) throw notFound('There is no such code.');
  }
}
