import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SignedInPage } from '../../access/signed-in-page.decorator.js';
import { type StreamedDownload, ClientDisconnected } from '../../platform/http/download.js';
import { parseBody } from '../../platform/http/read-json.js';
import { isDay } from '../../platform/time/day.js';
import { Allow } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { csvDownload } from '../../platform/http/csv-download.js';
import { type ExportQuery, ExportsService } from './exports.service.js';

const day = z.string().refine(isDay, 'must be a day, such as 2026-11-20');
const ids = z
  .union([z.uuid(), z.array(z.uuid()).max(500)])
  .transform((value) => (Array.isArray(value) ? value : [value]))
  .nullish()
  .transform((value) => value ?? null);
const exportQuerySchema = z
  .strictObject({
    from: day,
    to: day,
    people: z.enum(['true', 'false']).default('false'),
    connection: ids,
    group: ids,
    costCentre: ids,
  })
  .transform(({ from, to, people, connection, group, costCentre }): ExportQuery => ({
    from,
    to,
    showsPeople: people === 'true',
    connectionIds: connection,
    groupIds: group,
    costCentreIds: costCentre,
  }));

/** CSV downloads, which the console links to. */
@Controller('console/exports')
@SignedInPage()
@Allow('spend:read')
export class ExportsController {
  constructor(private readonly exports: ExportsService) {}

  @Get('usage.csv')
  usage(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return sendCsv('usage', request, response, (query, file) => this.exports.usage(principal, query, file));
  }

  @Get('focus.csv')
  focus(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return sendCsv('focus', request, response, (query, file) => this.exports.focus(principal, query, file));
  }

  @Get('coverage.csv')
  coverage(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return sendCsv('coverage', request, response, (query, file) => this.exports.coverage(principal, query, file));
  }
}

async function sendCsv(
  name: string,
  request: Request,
  response: Response,
  write: (query: ExportQuery, file: StreamedDownload) => Promise<void>,
): Promise<void> {
  const query = parseBody(exportQuerySchema, request.query);
  const file = csvDownload(response, `${name}-${query.from}-${query.to}.csv`);
  try {
    await write(query, file);
    file.end();
  } catch (error) {
    if (!(error instanceof ClientDisconnected)) throw error;
  }
}
