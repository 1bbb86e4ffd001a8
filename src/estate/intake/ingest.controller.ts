import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { requireKeyScope } from '../../access/tenant-keys.service.js';
import { rawJson } from '../../platform/http/read-json.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { EstateUploadService } from './estate-upload.service.js';
import { deviceSecretOf, parseUpload } from './upload.js';

/** Receives AI client configurations from devices. Write-only. */
@Controller('ingest/estate')
@Authenticate('tenant-key')
export class EstateIngestController {
  constructor(private readonly uploads: EstateUploadService) {}

  @Post()
  @HttpCode(200)
  @Allow()
  upload(@CurrentPrincipal() principal: Principal, @Req() request: Request) {
    requireKeyScope(principal, 'estate');
    return this.uploads.ingest(principal, parseUpload(rawJson(request)), deviceSecretOf(request));
  }
}
