import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { AuditExportService } from '../audit/audit-export.service.js';
import { AuditHeadsService } from '../audit/audit-heads.service.js';
import { notFound } from '../platform/errors/general.error.js';
import { StreamedDownload, ClientDisconnected } from '../platform/http/download.js';
import { parseBody } from '../platform/http/read-json.js';
import { Allow } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';

const filterText = z
  .string()
  .max(200)
  .refine((text) => !text.includes('\0'), 'contains an invalid character');
const time = z.iso.datetime({ offset: true }).transform((at) => new Date(at));
const filter = z
  .strictObject({ kind: filterText, actorId: z.uuid(), subjectId: z.uuid(), from: time, to: time, search: filterText })
  .partial();

/**
 * Downloads the audit log: one event per line, oldest first, with the filters of the page, and what proves that the
 * events are unchanged.
 */
@Controller('console/exports')
@SignedInPage()
@Allow('audit:read')
export class AuditExportController {
  constructor(
    private readonly log: AuditExportService,
    private readonly heads: AuditHeadsService,
  ) {}

  @Get('audit.jsonl')
  async audit(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    const file = new StreamedDownload(response, 'audit.jsonl', 'application/jsonl; charset=utf-8');
    try {
      for await (const lines of this.log.export(principal, parseBody(filter, request.query))) await file.write(lines);
      file.end();
    } catch (error) {
      if (!(error instanceof ClientDisconnected)) throw error;
    }
  }

  @Get('audit-head.json')
  async head(@CurrentPrincipal() principal: Principal, @Res() response: Response) {
    const head = await this.heads.newestWithKey(principal);
    if (!head) throw notFound('No event is sealed yet.');
    const file = new StreamedDownload(response, 'audit-head.json', 'application/json; charset=utf-8');
    await file.write(`${JSON.stringify(head)}\n`);
    file.end();
  }
}
