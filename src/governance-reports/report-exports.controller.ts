import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { notFound } from '../platform/errors/general.error.js';
import { csvDownload } from '../platform/http/csv-download.js';
import { ClientDisconnected } from '../platform/http/download.js';
import { parseBody } from '../platform/http/read-json.js';
import { isDay } from '../platform/time/day.js';
import { Allow } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { type ReportFile, reportFiles, ReportExportsService } from './report-exports.service.js';

const day = z.string().refine(isDay, 'must be a day, such as 2026-11-20');
const querySchema = z.strictObject({ from: day, to: day });

/** CSV downloads of the reports page: approval-steps.csv, approvers.csv, and so on. */
@Controller('console/exports/reports')
@SignedInPage()
@Allow('audit:read')
export class ReportExportsController {
  constructor(private readonly exports: ReportExportsService) {}

  @Get(':name.csv')
  async report(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    const file = reportFiles.find((known) => known === name) as ReportFile | undefined;
    if (!file) throw notFound('There is no such report.');
    const days = parseBody(querySchema, request.query);
    const lines = this.exports.export(principal, file, days);
    // a refused range must not start a download
    const first = await lines.next();
    const download = csvDownload(response, `${file}-${days.from}-${days.to}.csv`);
    try {
      if (!first.done) await download.write(first.value);
      for await (const text of lines) await download.write(text);
      download.end();
    } catch (error) {
      if (!(error instanceof ClientDisconnected)) throw error;
    }
  }
}
