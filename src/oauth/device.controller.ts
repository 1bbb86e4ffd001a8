import { Body, Controller, Get, Ip, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Attempts } from '../access/attempts.service.js';
import { MembersService } from '../access/members.service.js';
import { isFresh, requireSession } from '../access/sessions.service.js';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { TenantsService } from '../access/tenants.service.js';
import { orProblem } from '../platform/errors/or-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { formText } from '../platform/http/form-text.js';
import { Forms } from '../platform/http/forms.service.js';
import { sendPage } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Allow } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { codePage, decidedPage, devicePage } from './device.page.js';
import { type Device, DevicesService } from './devices.service.js';

const typedCode = z.object({ code: formText(20) });
const decision = z.object({ code: formText(20), decision: z.enum(['approve', 'decline']) });

/** Where a person lets a terminal in that shows them a code. The code is typed: no link brings it along. */
@Controller('device')
@SignedInPage()
@Allow()
export class DeviceController {
  constructor(
    private readonly devices: DevicesService,
    private readonly attempts: Attempts,
    private readonly members: MembersService,
    private readonly tenants: TenantsService,
    private readonly forms: Forms,
  ) {}

  @Get()
  async ask(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    if (!isFresh(principal)) return response.redirect(303, '/confirm?next=/device');
    sendPage(response, codePage(await this.signed(principal, request, response)));
  }

  @Post()
  async show(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
    @Ip() address: string,
  ) {
    this.forms.checkCsrf(request, principal.sessionId);
    const found = await orProblem(this.find(principal, body, address));
    const signed = await this.signed(principal, request, response);
    if (found instanceof Problem) response.set(found.headers ?? {});
    sendPage(
      response,
      found instanceof Problem ? codePage({ ...signed, problem: found }) : devicePage({ ...signed, device: found }),
    );
  }

  @Post('decision')
  async decide(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
    @Ip() address: string,
  ) {
    this.forms.checkCsrf(request, principal.sessionId);
    const { code, decision: decided } = parseBody(decision, body ?? {});
    const attempt = await this.attempts.count(`device ${principal.memberId}`, address);
    await this.devices[decided](principal, code);
    await attempt.forgive();
    sendPage(response, decidedPage(decided === 'approve'));
  }

  private async find(principal: Principal, body: unknown, address: string): Promise<Device> {
    const { code } = parseBody(typedCode, body ?? {});
    const attempt = await this.attempts.count(`device ${principal.memberId}`, address);
    const device = await this.devices.get(principal, code);
    await attempt.forgive();
    return device;
  }

  private async signed(principal: Principal, request: Request, response: Response) {
    const { memberId, sessionId } = requireSession(principal);
    const [tenant, person] = await Promise.all([this.tenants.get(principal), this.members.get(principal, memberId)]);
    return { organization: tenant.name, person, csrf: this.forms.csrfField(request, response, sessionId) };
  }
}
