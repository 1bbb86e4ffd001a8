import { Injectable } from '@nestjs/common';
import type { Interaction, InteractionResults } from 'oidc-provider';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../principal/principal.js';
import { accountIdOf } from './account-id.js';
import { type ClientFacts, clientFactsOf, resourceOf } from './client-facts.js';
import { ConsentsService } from './consents.service.js';
import { createGrant } from './create-grant.js';
import { notForThisOrganization, productChanged, requestExpired } from './oauth.error.js';
import { OauthTransactionService } from './oauth-transaction.service.js';
import { ProviderService } from './provider.service.js';

/** An authorization request that waits for sign-in or consent. */
export interface ConsentRequest {
  client: ClientFacts & { tenantId: string };
  redirectUri: string;
  /** Whether the person must sign in; `since`: an earlier sign-in does not count. */
  signIn: { isRequired: boolean; since: Date | null };
  scopes: { requested: string[]; remembered: string[] };
}

interface OpenInteraction {
  interaction: Interaction;
  client: ClientFacts & { tenantId: string };
}

/** Handles requests that wait for a person. Each decision returns the URL at which the request continues. */
@Injectable()
export class InteractionsService {
  constructor(
    private readonly transaction: OauthTransactionService,
    private readonly providers: ProviderService,
    private readonly consents: ConsentsService,
    private readonly audit: AuditService,
  ) {}

  read(person: Principal | null, id: string): Promise<ConsentRequest> {
    return this.transaction.run('read a consent request', person, async () => {
      const { interaction, client } = await this.find(id);
      const isMember = person?.memberId && person.tenantId === client.tenantId;
      const remembered = isMember
        ? await this.consents.rememberedScopes({ tenantId: person.tenantId, memberId: person.memberId! }, client)
        : [];
      const requiresNewSignIn = interaction.prompt.reasons.includes('login_prompt');
      return {
        client,
        redirectUri: String(interaction.params.redirect_uri),
        signIn: {
          isRequired: interaction.prompt.name === 'login',
          since: requiresNewSignIn ? new Date(Number(interaction.prompt.details.since)) : null,
        },
        scopes: { requested: scopesOf(interaction), remembered: promptsForConsent(interaction) ? [] : remembered },
      };
    });
  }

  completeSignIn(person: Principal, id: string): Promise<string> {
    return this.answer(person, id, async (_, account) => ({ login: { accountId: account } }));
  }

  /** Stores consent for the revision of the client that the page showed, and creates a grant for this authorization. */
  approve(person: Principal, id: string, revision: number): Promise<string> {
    return this.answer(person, id, async ({ interaction, client }, account) => {
      const { memberId, tenantId } = requireSession(person);
      if (interaction.result?.consent) return interaction.result; // sent twice
      if (client.revision !== revision)
        throw productChanged('An administrator has changed the product since you opened the page.');
      const { provider } = await this.providers.current();
      const scopes = scopesOf(interaction);
      await this.consents.remember({ tenantId, memberId }, client, scopes);
      const resource = resourceOf(provider.issuer, client);
      const grant = await createGrant(provider, { accountId: account, clientId: client.id, resource, scopes });
      await this.record(person, 'consent.granted', client, { scopes, grantId: grant.jti });
      return { consent: { grantId: grant.jti } };
    });
  }

  /** A member of any organization may decline. */
  decline(person: Principal, id: string): Promise<string> {
    return this.transaction.run('decline a consent request', person, async () => {
      const { interaction, client } = await this.find(id);
      if (client.tenantId === person.tenantId)
        await this.record(person, 'consent.declined', client, { scopes: scopesOf(interaction) });
      return storeResult(interaction, { error: 'access_denied', error_description: 'the person declined' });
    });
  }

  private answer(
    person: Principal,
    id: string,
    decide: (open: OpenInteraction, account: string) => Promise<InteractionResults>,
  ): Promise<string> {
    const { tenantId, memberId } = requireSession(person);
    return this.transaction.run('answer a consent request', person, async () => {
      const open = await this.find(id);
      if (open.client.tenantId !== tenantId)
        throw notForThisOrganization('You are signed in to an organization that the product does not serve.');
      const result = await decide(open, accountIdOf({ tenantId, memberId }));
      return storeResult(open.interaction, { ...open.interaction.lastSubmission, ...result });
    });
  }

  private async record(
    person: Principal,
    kind: string,
    { id, name }: ClientFacts,
    detail: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.record(await this.transaction.tx(), person, {
      kind,
      subject: { type: 'client', id, name },
      detail,
    });
  }

  private async find(id: string): Promise<OpenInteraction> {
    const { provider } = await this.providers.current();
    const interaction = await provider.Interaction.find(id);
    const client = interaction && (await provider.Client.find(String(interaction.params.client_id)));
    const facts = client && clientFactsOf(client);
    if (!interaction || !client || !facts?.tenantId)
      throw requestExpired('The request does not exist or is no longer open.');
    if (!client.redirectUriAllowed(String(interaction.params.redirect_uri)))
      throw requestExpired('The redirect address of the request is no longer registered for the product.');
    return { interaction, client: { ...facts, tenantId: facts.tenantId } };
  }
}

async function storeResult(interaction: Interaction, result: InteractionResults): Promise<string> {
  interaction.result = result;
  await interaction.persist();
  return interaction.returnTo;
}

const scopesOf = ({ params }: Interaction): string[] => String(params.scope).split(' ');

/** `prompt=consent`: the page shows all scopes again. */
const promptsForConsent = ({ params }: Interaction): boolean =>
  String(params.prompt ?? '')
    .split(' ')
    .includes('consent');
