import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SignedInPage } from '../../access/signed-in-page.decorator.js';
import { type Download, ReaderGone } from '../../platform/http/download.js';
import { parseBody } from '../../platform/http/read-json.js';
import { Allow } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { isDay } from '../reports/calendar.js';
import { csvDownload } from './csv-download.js';
import { type ExportQuestion, Exports } from './exports.service.js';

const day = z.string().refine(isDay, 'is no day, as 2026-11-20');
const ids = z
  .union([z.uuid(), z.array(z.uuid()).max(500)])
  .transform((given) => (Array.isArray(given) ? given : [given]))
  .nullish()
  .transform((given) => given ?? null);
const question = z
  .strictObject({
    from: day,
    to: day,
    people: z.enum(['true', 'false']).default('false'),
    connection: ids,
    group: ids,
    costCentre: ids,
  })
  .transform(({ from, to, people, connection, group, costCentre }): ExportQuestion => ({
    from,
    to,
    showsPeople: people === 'true',
    connectionIds: connection,
    groupIds: group,
    costCentreIds: costCentre,
  }));

/** Usage as files for spreadsheets and other programs: a link in the console. */
@Controller('console/exports')
@SignedInPage()
@Allow('spend:read')
export class ExportsController {
  constructor(private readonly exports: Exports) {}

  @Get('usage.csv')
  usage(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return send('usage', request, response, (asked, file) => this.exports.usage(principal, asked, file));
  }

  @Get('focus.csv')
  focus(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return send('focus', request, response, (asked, file) => this.exports.focus(principal, asked, file));
  }

  @Get('coverage.csv')
  coverage(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return send('coverage', request, response, (asked, file) => this.exports.coverage(principal, asked, file));
  }
}

async function send(
  name: string,
  request: Request,
  response: Response,
  write: (asked: ExportQuestion, file: Download) => Promise<void>,
): Promise<void> {
  const asked = parseBody(question, request.query);
  const file = csvDownload(response, `${name}-${asked.from}-${asked.to}.csv`);
  try {
    await write(asked, file);
    file.end();
  } catch (error) {
    if (!(error instanceof ReaderGone)) throw error;
  }
}
