import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SignedInPage } from '../../access/signed-in-page.decorator.js';
import { TenantsService } from '../../access/tenants.service.js';
import { CsrfService } from '../../platform/http/csrf.service.js';
import { sendPage } from '../../platform/http/page.js';
import { parseBody } from '../../platform/http/read-json.js';
import { Allow } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { ConnectedDevicesService } from './connected-devices.service.js';
import { connectedPage } from './connected-products.page.js';
import { ConnectedProductsService } from './connected-products.service.js';

const form = z.union([z.object({ product: z.string().min(1).max(100) }), z.object({ device: z.uuid() })]);

/** Shows people the products and terminals that act for them. */
@Controller('connected')
@SignedInPage()
@Allow()
export class ConnectedProductsController {
  constructor(
    private readonly products: ConnectedProductsService,
    private readonly devices: ConnectedDevicesService,
    private readonly tenants: TenantsService,
    private readonly csrf: CsrfService,
  ) {}

  @Get()
  async show(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    const [products, devices, tenant] = await Promise.all([
      this.products.list(principal),
      this.devices.listOwn(principal),
      this.tenants.get(principal),
    ]);
    const csrf = this.csrf.hiddenField(request, response, principal.sessionId);
    sendPage(response, connectedPage({ products, devices, organization: tenant.name, person: principal.name, csrf }));
  }

  @Post()
  async disconnect(@CurrentPrincipal() principal: Principal, @Res() response: Response, @Body() body: unknown) {
    const sent = parseBody(form, body ?? {});
    if ('device' in sent) await this.devices.revokeOwn(principal, sent.device);
    else await this.products.disconnect(principal, sent.product);
    response.redirect(303, '/connected');
  }
}
