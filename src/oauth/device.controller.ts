import { Body, Controller, Get, Ip, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { LoginThrottle } from '../access/login-throttle.service.js';
import { MembersService } from '../access/members.service.js';
import { isFresh, requireSession } from '../access/sessions.service.js';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { TenantsService } from '../access/tenants.service.js';
import { catchProblem } from '../platform/errors/catch-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { formText } from '../platform/http/form-text.js';
import { CsrfService } from '../platform/http/csrf.service.js';
import { sendPage } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Allow } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { deviceCodePage, deviceDecisionPage, devicePage } from './device.page.js';
import { type PendingDevice, DevicesService } from './devices.service.js';

const codeForm = z.object({ code: formText(20) });
const decision = z.object({ code: formText(20), decision: z.enum(['approve', 'decline']) });

/** People connect a terminal by typing the code that it shows. No link carries the code, to prevent phishing. */
@Controller('device')
@SignedInPage()
@Allow()
export class DeviceController {
  constructor(
    private readonly devices: DevicesService,
    private readonly loginThrottle: LoginThrottle,
    private readonly members: MembersService,
    private readonly tenants: TenantsService,
    private readonly csrf: CsrfService,
  ) {}

  @Get()
  async showCodeForm(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    if (!isFresh(principal)) return response.redirect(303, '/confirm?next=/device');
    sendPage(response, deviceCodePage(await this.pageState(principal, request, response)));
  }

  @Post()
  async show(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
    @Ip() address: string,
  ) {
    const found = await catchProblem(this.find(principal, body, address));
    const state = await this.pageState(principal, request, response);
    if (found instanceof Problem) response.set(found.headers ?? {});
    sendPage(
      response,
      found instanceof Problem ? deviceCodePage({ ...state, problem: found }) : devicePage({ ...state, device: found }),
    );
  }

  @Post('decision')
  async decide(
    @CurrentPrincipal() principal: Principal,
    @Res() response: Response,
    @Body() body: unknown,
    @Ip() address: string,
  ) {
    const { code, decision: decided } = parseBody(decision, body ?? {});
    const attempt = await this.loginThrottle.count(`device ${principal.memberId}`, address);
    await this.devices[decided](principal, code);
    await attempt.forgive();
    sendPage(response, deviceDecisionPage(decided === 'approve'));
  }

  private async find(principal: Principal, body: unknown, address: string): Promise<PendingDevice> {
    const { code } = parseBody(codeForm, body ?? {});
    const attempt = await this.loginThrottle.count(`device ${principal.memberId}`, address);
    const device = await this.devices.get(principal, code);
    await attempt.forgive();
    return device;
  }

  private async pageState(principal: Principal, request: Request, response: Response) {
    const { memberId, sessionId } = requireSession(principal);
    const [tenant, person] = await Promise.all([this.tenants.get(principal), this.members.get(principal, memberId)]);
    return { organization: tenant.name, person, csrf: this.csrf.hiddenField(request, response, sessionId) };
  }
}
