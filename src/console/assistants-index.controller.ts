import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { TenantsService } from '../access/tenants.service.js';
import { AssistantsService } from '../oauth/assistants/assistants.service.js';
import { sendPage } from '../platform/http/page.js';
import { Allow } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { assistantsIndexPage } from './assistants-index.page.js';

/** Lists the configurations that members can connect their assistants to. */
@Controller('assistants')
@SignedInPage()
@Allow()
export class AssistantsIndexController {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly tenants: TenantsService,
  ) {}

  @Get()
  async show(@CurrentPrincipal() principal: Principal, @Res() response: Response) {
    const [configurations, tenant] = await Promise.all([
      this.assistants.listConfigurations(principal),
      this.tenants.get(principal),
    ]);
    sendPage(response, assistantsIndexPage({ configurations, organization: tenant.name, person: principal.name }));
  }
}
