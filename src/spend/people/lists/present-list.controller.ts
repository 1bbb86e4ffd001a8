import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SignedInPage } from '../../../access/signed-in-page.decorator.js';
import { Allow } from '../../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../../principal/current-principal.decorator.js';
import type { Principal } from '../../../principal/principal.js';
import { ReaderGone } from '../../../platform/http/download.js';
import { csvDownload } from '../../exports/csv-download.js';
import { PresentList } from './present-list.service.js';

@Controller('console/exports')
@SignedInPage()
@Allow('spend:manage')
export class PresentListController {
  constructor(private readonly list: PresentList) {}

  @Get('people.csv')
  async people(@CurrentPrincipal() principal: Principal, @Res() response: Response): Promise<void> {
    const file = csvDownload(response, 'people.csv');
    try {
      await this.list.write(principal, file);
      file.end();
    } catch (error) {
      if (!(error instanceof ReaderGone)) throw error;
    }
  }
}
