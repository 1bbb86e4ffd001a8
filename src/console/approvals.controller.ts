import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { TenantsService } from '../access/tenants.service.js';
import type { Approval } from '../approvals/approval.entity.js';
import { type ApprovalLink, ApprovalLinksService, requireUnusedLink } from '../approvals/approval-links.service.js';
import type { ApprovalDecision } from '../approvals/approval-decision.port.js';
import { ApprovalPasskeysService } from '../approvals/approval-passkeys.service.js';
import { approvalLinkRefused } from '../approvals/approvals.error.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { ApproverActivityService } from '../approvals/approver-activity.service.js';
import { CallReviewsService } from '../gate/call-reviews.service.js';
import { catchProblem } from '../platform/errors/catch-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { CsrfService } from '../platform/http/csrf.service.js';
import { sendPage } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Allow } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { type ApprovalView, ApprovalViewService } from './approval-view.service.js';
import { approvalPage, fullViewToken, refusedLinkPage } from './approval.page.js';
import { notFullyRevealed } from './console.error.js';

const decisionSchema = z.object({
  decision: z.enum(['approve', 'deny']),
  reason: z.string().max(1000, 'has more than 1000 characters').optional(),
  seen: z.string().optional(),
  n: z.string().optional(),
  credential: z.string().optional(),
});

interface ShownPage {
  /** The link that opened the page. */
  linkToken: unknown;
  isUnfolded?: boolean;
  problem?: Problem;
  reason?: string;
}

/**
 * The page of one approval, which works without JavaScript. Opening it decides nothing and uses no link up; the first
 * view of each approver is recorded.
 */
@Controller('approvals')
@SignedInPage()
@Allow('approvals:decide')
export class ApprovalsController {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly approvalPasskeys: ApprovalPasskeysService,
    private readonly approvalLinks: ApprovalLinksService,
    private readonly callReviews: CallReviewsService,
    private readonly views: ApprovalViewService,
    private readonly approverActivity: ApproverActivityService,
    private readonly tenants: TenantsService,
    private readonly csrf: CsrfService,
  ) {}

  @Get(':id')
  async show(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
    @Query('open') open?: unknown,
    @Query('n') linkToken?: unknown,
  ) {
    const shown = await catchProblem(
      this.send(principal, id, request, response, { linkToken, isUnfolded: open === 'all' }),
    );
    if (shown instanceof Problem) sendRefusal(response, id, shown);
  }

  @Post(':id')
  async decide(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
  ) {
    const decided = await catchProblem(this.applyDecision(principal, id, body));
    if (!(decided instanceof Problem)) return response.redirect(303, `/approvals/${decided.id}`);
    if (decided.code === approvalLinkRefused.code) return sendRefusal(response, id, decided);
    const { reason, n: linkToken } = (body ?? {}) as { reason?: unknown; n?: unknown };
    await this.send(principal, id, request, response, {
      linkToken,
      problem: decided,
      reason: typeof reason === 'string' ? reason : '',
    });
  }

  private async applyDecision(principal: Principal, id: string, body: unknown): Promise<Approval> {
    const { decision, reason, seen, n, credential } = parseBody(decisionSchema, body ?? {});
    const link = this.verifyLink(principal, id, n);
    if (decision === 'approve' && seen !== fullViewToken(await this.callReviews.getReadable(principal, id)))
      throw notFullyRevealed('Some values were collapsed. Show all values before you approve.');
    return this.approvals.decide(principal, id, decision, reason, { link, passkeyResponse: credential });
  }

  /** Verifying a link does not use it up. */
  private verifyLink(principal: Principal, id: string, token: unknown): ApprovalLink | undefined {
    return token === undefined ? undefined : this.approvalLinks.verify(principal, id, String(token));
  }

  private async send(
    principal: Principal,
    id: string,
    request: Request,
    response: Response,
    { linkToken, ...shown }: ShownPage,
  ) {
    const link = this.verifyLink(principal, id, linkToken);
    const [view, tenant] = await Promise.all([this.views.get(principal, id), this.tenants.get(principal)]);
    if (link && !shown.problem) requireUnusedLink(view.approval, link);
    if (view.canDecide && view.canonical !== null) await this.approverActivity.recordView(principal, view.approval);
    // the page is shown even where nobody can use a passkey
    const passkeyOptions = await catchProblem(this.passkeyOptions(principal, view));
    const csrf = this.csrf.hiddenField(request, response, principal.sessionId);
    const who = { organization: tenant.name, person: principal.name };
    const content = { view, ...who, csrf, linkToken: link && String(linkToken), ...shown };
    sendPage(
      response,
      approvalPage(
        passkeyOptions instanceof Problem
          ? { ...content, problem: content.problem ?? passkeyOptions }
          : { ...content, passkeyOptions },
      ),
    );
  }

  /** Denials are signed, too. A call whose arguments cannot be displayed can only be denied. */
  private async passkeyOptions(principal: Principal, { approval, canDecide, canonical }: ApprovalView) {
    if (!approval.requiresPasskey || !canDecide) return undefined;
    const request = (decision: ApprovalDecision) => this.approvalPasskeys.request(principal, approval.id, decision);
    const [deny, approve] = await Promise.all([request('deny'), canonical === null ? undefined : request('approve')]);
    return { approve, deny };
  }
}

function sendRefusal(response: Response, id: string, problem: Problem): void {
  if (problem.code !== approvalLinkRefused.code) throw problem;
  sendPage(response, refusedLinkPage(id, problem));
}
