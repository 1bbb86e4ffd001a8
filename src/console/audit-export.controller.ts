import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { AuditLogService } from '../audit/audit-log.service.js';
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

/** Downloads the audit log: one event per line, oldest first, with the filters of the page. */
@Controller('console/exports')
@SignedInPage()
@Allow('audit:read')
export class AuditExportController {
  constructor(private readonly log: AuditLogService) {}

  @Get('audit.jsonl')
  async audit(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    const file = new StreamedDownload(response, 'audit.jsonl', 'application/jsonl; charset=utf-8');
    try {
      for await (const events of this.log.exportAll(principal, parseBody(filter, request.query)))
        await file.write(events.map(({ tenantId: _, ...event }) => `${JSON.stringify(event)}\n`).join(''));
      file.end();
    } catch (error) {
      if (!(error instanceof ClientDisconnected)) throw error;
    }
  }
}
