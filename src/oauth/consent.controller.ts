import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { MembersService } from '../access/members.service.js';
import { requireSession, sessionCookie, SessionsService } from '../access/sessions.service.js';
import { TenantsService } from '../access/tenants.service.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { unauthenticated } from '../platform/errors/general.error.js';
import { CookiesService } from '../platform/http/cookies.service.js';
import { CsrfService } from '../platform/http/csrf.service.js';
import { type PageContent, sendPage } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Public } from '../principal/allow.decorator.js';
import { type Principal, systemPrincipal } from '../principal/principal.js';
import { consentPage, continuePage, otherOrganizationPage } from './consent.page.js';
import { InteractionsService, type ConsentRequest } from './interactions.service.js';
import { requestExpired } from './oauth.error.js';
import { ProviderService } from './provider.service.js';
import { interactionCookie } from './provider-configuration.service.js';
import { findSessionPrincipal } from './session-principal.js';

const form = z.object({
  decision: z.enum(['approve', 'decline', 'switch']),
  /** The revision of the product that the page showed. */
  revision: z.string().max(20).optional(),
});

/** The consent page. It is public because it redirects people who are not signed in to the sign-in page. */
@Controller('consent')
@Public()
export class ConsentController {
  constructor(
    private readonly interactions: InteractionsService,
    private readonly providers: ProviderService,
    private readonly tenants: TenantsService,
    private readonly members: MembersService,
    private readonly sessions: SessionsService,
    private readonly configurations: ConfigurationsService,
    private readonly cookies: CookiesService,
    private readonly csrf: CsrfService,
  ) {}

  @Get(':id')
  async show(@Req() request: Request, @Res() response: Response, @Param('id') id: string) {
    await this.refuseOtherBrowser(request, response, id);
    const person = await findSessionPrincipal(request);
    const consentRequest = await this.interactions.read(person, id);
    if (!person) return this.redirectToSignIn(response, consentRequest, id);
    if (consentRequest.client.tenantId !== person.tenantId)
      return sendPage(response, await this.otherOrganizationContent(request, response, person, consentRequest));
    if (!isFreshEnough(person, consentRequest)) return response.redirect(303, `/confirm?next=/consent/${id}`);
    if (consentRequest.signIn.isRequired)
      return sendPage(response, continuePage(await this.interactions.completeSignIn(person, id)));
    sendPage(response, await this.consentContent(request, response, person, consentRequest));
  }

  @Post(':id')
  async decide(@Req() request: Request, @Res() response: Response, @Param('id') id: string, @Body() body: unknown) {
    await this.refuseOtherBrowser(request, response, id);
    const person = await findSessionPrincipal(request);
    this.csrf.verify(request, person?.sessionId);
    if (!person) throw unauthenticated('You are no longer signed in. Open the page again.');
    const { decision, revision } = parseBody(form, body ?? {});
    if (decision === 'switch') return this.signOut(response, person, id);
    const onward = await (decision === 'approve'
      ? this.interactions.approve(person, id, Number(revision))
      : this.interactions.decline(person, id));
    response.set('Cache-Control', 'no-store').redirect(303, onward);
  }

  /** The URL alone gives no access: the request belongs to the browser in which it began. */
  private async refuseOtherBrowser(request: Request, response: Response, id: string): Promise<void> {
    const { provider } = await this.providers.current();
    const cookieId = provider.createContext(request, response).cookies.get(interactionCookie);
    if (cookieId !== id) throw requestExpired('This browser has no such request.');
  }

  private async redirectToSignIn(response: Response, { client }: ConsentRequest, id: string): Promise<void> {
    const { slug } = await this.tenants.get(systemPrincipal(client.tenantId, 'authorization'));
    const query = new URLSearchParams({ organization: slug, next: `/consent/${id}` });
    response.set('Cache-Control', 'no-store').redirect(303, `/sign-in?${query}`);
  }

  private async signOut(response: Response, person: Principal, id: string): Promise<void> {
    const consentRequest = await this.interactions.read(person, id);
    await this.sessions.end(person, requireSession(person).sessionId);
    this.cookies.clear(response, sessionCookie);
    await this.redirectToSignIn(response, consentRequest, id);
  }

  private async consentContent(
    request: Request,
    response: Response,
    person: Principal,
    { client, redirectUri, scopes }: ConsentRequest,
  ): Promise<PageContent> {
    const { memberId, sessionId } = requireSession(person);
    const { configurationId } = client;
    const [tenant, member, configuration] = await Promise.all([
      this.tenants.get(person),
      this.members.get(person, memberId),
      configurationId ? this.configurations.get(person, configurationId) : null,
    ]);
    return consentPage({
      client,
      redirectUri,
      scopes,
      organization: tenant.name,
      person: member,
      configuration: configuration?.name ?? null,
      csrf: this.csrf.hiddenField(request, response, sessionId),
      action: request.path,
    });
  }

  private async otherOrganizationContent(
    request: Request,
    response: Response,
    person: Principal,
    { client, redirectUri }: ConsentRequest,
  ): Promise<PageContent> {
    const [own, theirs] = await Promise.all([
      this.tenants.get(person),
      this.tenants.get(systemPrincipal(client.tenantId, 'authorization')),
    ]);
    return otherOrganizationPage({
      client,
      redirectUri,
      organization: theirs.name,
      own: own.name,
      personName: person.name,
      csrf: this.csrf.hiddenField(request, response, person.sessionId),
      action: request.path,
    });
  }
}

const isFreshEnough = ({ freshAt }: Principal, { signIn: { since } }: ConsentRequest): boolean =>
  !since || (freshAt !== undefined && freshAt >= since);
