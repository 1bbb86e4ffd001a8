import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SignedInPage } from '../../access/signed-in-page.decorator.js';
import { csvDownload } from '../../platform/http/csv-download.js';
import { ClientDisconnected } from '../../platform/http/download.js';
import { Allow } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { EstateExportService } from './estate-export.service.js';

@Controller('console/exports')
@SignedInPage()
@Allow('estate:read')
export class EstateExportController {
  constructor(private readonly exports: EstateExportService) {}

  @Get('estate.csv')
  async estate(@CurrentPrincipal() principal: Principal, @Res() response: Response): Promise<void> {
    const file = csvDownload(response, 'estate.csv');
    try {
      await this.exports.write(principal, file);
      file.end();
    } catch (error) {
      if (!(error instanceof ClientDisconnected)) throw error;
    }
  }
}
