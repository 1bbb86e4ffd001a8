import { Controller, Delete, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { requireKeyScope } from '../access/tenant-keys.service.js';
import { readJson } from '../platform/http/read-json.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { DocumentsService } from './documents.service.js';
import { toSourceDocument, parseExternalId, pushedDocumentSchema } from './pushed-document.js';

/** Accepts documents that the organization's programs push. It has no read access. */
@Controller('ingest/documents/:source/:externalId')
@Authenticate('tenant-key')
export class DocumentIngestController {
  constructor(private readonly documents: DocumentsService) {}

  @Put()
  @Allow()
  async put(
    @CurrentPrincipal() principal: Principal,
    @Param('source') source: string,
    @Param('externalId') externalId: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    requireKeyScope(principal, 'documents');
    const document = toSourceDocument(parseExternalId(externalId), readJson(request, pushedDocumentSchema));
    const pushed = await this.documents.push(principal, source, document);
    response.status(pushed.result === 'created' ? 201 : 200);
    return pushed;
  }

  @Delete()
  @HttpCode(204)
  @Allow()
  async delete(
    @CurrentPrincipal() principal: Principal,
    @Param('source') source: string,
    @Param('externalId') externalId: string,
  ) {
    requireKeyScope(principal, 'documents');
    await this.documents.withdraw(principal, source, parseExternalId(externalId));
  }
}
