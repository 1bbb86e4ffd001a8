import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SignedInPage } from '../../access/signed-in-page.decorator.js';
import { Allow } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { ClientDisconnected } from '../../platform/http/download.js';
import { csvDownload } from '../../platform/http/csv-download.js';
import { PeopleExportService } from './people-export.service.js';

@Controller('console/exports')
@SignedInPage()
@Allow('spend:manage')
export class PeopleExportController {
  constructor(private readonly peopleExport: PeopleExportService) {}

  @Get('people.csv')
  async people(@CurrentPrincipal() principal: Principal, @Res() response: Response): Promise<void> {
    const file = csvDownload(response, 'people.csv');
    try {
      await this.peopleExport.write(principal, file);
      file.end();
    } catch (error) {
      if (!(error instanceof ClientDisconnected)) throw error;
    }
  }
}
