import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { derivedId, newId } from '../../platform/crypto/ids.js';
import { MasterKeyMismatch, SealService } from '../../platform/crypto/seal.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { invalidRequest, notFound } from '../../platform/errors/general.error.js';
import { assertCurrentVersion, contentVersionOf } from '../../platform/graphql/version.js';
import type { Principal } from '../../principal/principal.js';
import { nameTaken } from '../access.error.js';
import { AdministrationService } from '../administration/administration.service.js';
import { authorsOf } from '../administration/administration-change.port.js';
import { isUniqueViolation } from '../../platform/database/database-error.js';
import { IntroductionsService } from '../independence/introductions.service.js';
import { requireSession } from '../sessions.service.js';
import type { NewSignInProvider } from './new-sign-in-provider.object.js';
import { ProviderChangeDescriptionService } from './provider-change-description.service.js';
import { setProviderGroups, withProviderGroups } from './provider-groups.js';
import { issuerFault } from './issuer.js';
import { providerUnusable } from './providers.error.js';
import type { CreateSignInProviderInput, UpdateSignInProviderInput } from './sign-in-provider.input.js';
import { signInProviderSettings, SignInProvider } from './sign-in-provider.entity.js';
import { lockProvider } from './sign-in-providers.sql.js';
import { providerById } from './sign-in-providers.system.sql.js';
import { OidcProviderClient, type OidcClientCredentials } from './oidc-provider-client.service.js';

type Row = Omit<SignInProvider, 'groups'>;
type NewProvider = CreateSignInProviderInput & { reservation: string };

interface PreparedUpdate {
  provider: SignInProvider;
  after: Row;
  changed: (keyof Row)[];
}

/**
 * The providers that an organization trusts to authenticate members. Only people in a session change them, and each
 * change is verified against the provider before it is saved.
 */
@Injectable()
export class SignInProvidersService {
  private readonly submitCreation: (principal: Principal, input: NewProvider) => Promise<SignInProvider>;
  private readonly submitUpdate: (principal: Principal, input: UpdateSignInProviderInput) => Promise<SignInProvider>;
  private readonly submitRemoval: (principal: Principal, input: { id: string }) => Promise<SignInProvider>;

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly seal: SealService,
    private readonly oidcProviderClient: OidcProviderClient,
    private readonly introductions: IntroductionsService,
    private readonly descriptions: ProviderChangeDescriptionService,
    administration: AdministrationService,
  ) {
    const permission = 'organization:manage';
    this.submitCreation = administration.register<NewProvider, SignInProvider, Row>({
      kind: 'sign_in_provider.create',
      permission,
      prepare: (principal, input) => this.prepareCreation(principal, input),
      describe: (tx, principal, { groupIds, clientSecret }, row) =>
        this.descriptions.describe(tx, principal, 'Add', null, {
          ...row,
          groupIds,
          secret: clientSecret ? 'Set' : 'None',
        }),
      apply: (tx, principal, { groupIds }, row) => this.createIn(tx, principal, groupIds, row),
    });
    this.submitUpdate = administration.register<UpdateSignInProviderInput, SignInProvider, PreparedUpdate>({
      kind: 'sign_in_provider.update',
      permission,
      prepare: (principal, input) => this.prepareUpdate(principal, input),
      describe: (tx, principal, { groupIds, clientSecret }, { provider, after }) => {
        const known = provider.groups.map(({ id }) => id);
        const secret = clientSecret === undefined ? 'Unchanged' : clientSecret === null ? 'None' : 'Replaced';
        return this.descriptions.describe(
          tx,
          principal,
          'Change',
          { ...provider, groupIds: known, secret: 'Unchanged' },
          { ...after, groupIds: groupIds ?? known, secret },
        );
      },
      apply: (tx, principal, input, prepared) => this.updateIn(tx, principal, input, prepared),
    });
    this.submitRemoval = administration.register<{ id: string }, SignInProvider>({
      kind: 'sign_in_provider.remove',
      permission,
      describe: async (tx, principal, { id }) => {
        const provider = await this.get(tx, principal, id);
        const groupIds = provider.groups.map((group) => group.id);
        return this.descriptions.describe(tx, principal, 'Remove', { ...provider, groupIds, secret: 'Set' }, null);
      },
      apply: (tx, principal, { id }) => this.removeIn(tx, principal, id),
    });
  }

  /** Sorted by name, including disabled ones. */
  list(principal: Principal): Promise<SignInProvider[]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) =>
      withProviderGroups(tx, await tx.find(SignInProvider, { where: { tenantId }, order: { name: 'asc', id: 'asc' } })),
    );
  }

  /** The buttons on the sign-in page. */
  listEnabled({ tenantId }: { tenantId: string }): Promise<Row[]> {
    return this.database.tenant({ tenantId }, async (tx) => {
      const rows = await tx.find(SignInProvider, { where: { tenantId }, order: { name: 'asc', id: 'asc' } });
      return rows.filter(({ disabledAt }) => !disabledAt);
    });
  }

  /** An enabled provider of any organization; the row contains the tenant. */
  async getEnabled(id: string): Promise<Row> {
    const row = await this.database.system('find a sign-in provider', (tx) => tx.one(providerById, [id]));
    if (!row) throw notFound('There is no such sign-in provider.');
    return row;
  }

  /** Unseals the secret, for a request to the provider. */
  clientCredentials({ id, issuer, clientId, clientSecret }: Row): OidcClientCredentials {
    return { id, issuer, clientId, clientSecret: clientSecret && this.unsealSecret(id, clientSecret) };
  }

  /** A redirect URI that can be registered at the provider before the provider is added here. Stores nothing. */
  reserve(principal: Principal): NewSignInProvider {
    const reservation = newId();
    const id = reservedProviderId(principal.tenantId, reservation);
    return { reservation, redirectUri: this.oidcProviderClient.redirectUri(id) };
  }

  async create(principal: Principal, input: CreateSignInProviderInput): Promise<SignInProvider> {
    requireSession(principal);
    // the id is part of what is proposed, so that a confirmed provider keeps its redirect URI
    return this.submitCreation(principal, { ...input, reservation: input.reservation ?? newId() });
  }

  async update(principal: Principal, input: UpdateSignInProviderInput): Promise<SignInProvider> {
    requireSession(principal);
    return this.submitUpdate(principal, input);
  }

  /** Identities stay with their members: if the same issuer is added again, they work again. */
  async remove(principal: Principal, id: string): Promise<SignInProvider> {
    requireSession(principal);
    return this.submitRemoval(principal, { id });
  }

  /** Verifies the provider. */
  private async prepareCreation({ tenantId }: Principal, input: NewProvider): Promise<Row> {
    const { reservation, name, issuer: typed, clientId, clientSecret = null, emailDomains, createsMembers } = input;
    const id = reservedProviderId(tenantId, reservation);
    const issuer = await this.oidcProviderClient.verify({ id, issuer: requireIssuer(typed), clientId, clientSecret });
    return {
      tenantId,
      id,
      name: name.trim(),
      issuer,
      clientId,
      clientSecret: clientSecret === null ? null : this.seal.seal(clientSecret, clientSecretLocation(id)),
      emailDomains: normalizeDomains(emailDomains),
      createsMembers,
      createdBy: null,
      createdAt: new Date(),
      disabledAt: null,
    };
  }

  private async createIn(tx: Tx, principal: Principal, groupIds: string[], prepared: Row): Promise<SignInProvider> {
    const [createdBy = null] = authorsOf(principal);
    const row = { ...prepared, createdBy };
    const { issuer, clientId, emailDomains, createsMembers } = row;
    await refuseTakenIssuer(tx.insert(SignInProvider, row), issuer);
    await setProviderGroups(tx, row, groupIds);
    await this.record(tx, principal, 'sign_in_provider.created', row, {
      issuer,
      clientId,
      emailDomains,
      createsMembers,
      groupIds,
    });
    await this.recordAuthors(tx, principal, issuer);
    return this.get(tx, principal, row.id);
  }

  /** Verifies the provider if its issuer, client or secret changes. */
  private async prepareUpdate(
    principal: Principal,
    { basedOn, ...change }: UpdateSignInProviderInput,
  ): Promise<PreparedUpdate> {
    const { provider, row: before } = await this.database.tenant(principal, (tx) =>
      this.withSecret(tx, principal, change.providerId),
    );
    assertCurrentVersion(basedOn, signInProviderSettings(provider));
    const after = this.applyChange(before, change);
    const changed = (Object.keys(after) as (keyof Row)[]).filter((key) => String(after[key]) !== String(before[key]));
    if (changed.some((key) => ['issuer', 'clientId', 'clientSecret'].includes(key)))
      after.issuer = await this.oidcProviderClient.verify(this.clientCredentials(after));
    return { provider, after, changed };
  }

  private async updateIn(
    tx: Tx,
    principal: Principal,
    change: UpdateSignInProviderInput,
    { provider, after, changed }: PreparedUpdate,
  ): Promise<SignInProvider> {
    const { tenantId } = principal;
    const { id } = provider;
    await this.refuseConcurrentChange(tx, principal, provider);
    await refuseTakenIssuer(tx.update(SignInProvider, { tenantId, id }, after), after.issuer);
    if (change.groupIds) await setProviderGroups(tx, after, change.groupIds);
    await this.record(tx, principal, 'sign_in_provider.updated', after, {
      changed,
      ...(change.groupIds && { groupIds: change.groupIds }),
      issuer: after.issuer,
      clientId: after.clientId,
      emailDomains: after.emailDomains,
      createsMembers: after.createsMembers,
      isEnabled: !after.disabledAt,
    });
    // a person who changes only the name on the button gains no access to accounts
    if (changed.some((key) => key !== 'name')) await this.recordAuthors(tx, principal, after.issuer);
    return this.get(tx, principal, id);
  }

  private async removeIn(tx: Tx, principal: Principal, id: string): Promise<SignInProvider> {
    const { tenantId } = principal;
    const provider = await this.get(tx, principal, id);
    await tx.delete(SignInProvider, { tenantId, id });
    await this.record(tx, principal, 'sign_in_provider.removed', provider, { issuer: provider.issuer });
    return provider;
  }

  /** Everyone who decided on the settings of a provider could sign in as its members. */
  private async recordAuthors(tx: Tx, principal: Principal, issuer: string): Promise<void> {
    for (const memberId of authorsOf(principal))
      await this.introductions.recordProvider(tx, { tenantId: principal.tenantId, memberId, issuer });
  }

  private unsealSecret(id: string, clientSecret: Buffer): string {
    try {
      return this.seal.open(clientSecret, clientSecretLocation(id)).toString();
    } catch (error) {
      if (!(error instanceof MasterKeyMismatch)) throw error;
      throw providerUnusable(
        'The client secret of the provider cannot be decrypted. An administrator must enter it again.',
        {
          cause: error,
        },
      );
    }
  }

  private async get(tx: Tx, { tenantId }: Principal, id: string): Promise<SignInProvider> {
    const [provider] = await withProviderGroups(tx, await tx.findBy(SignInProvider, { tenantId, id }));
    if (!provider) throw notFound('There is no such sign-in provider.');
    return provider;
  }

  private async withSecret(tx: Tx, principal: Principal, id: string) {
    const provider = await this.get(tx, principal, id);
    const { clientSecret } = await tx.findOneOrFail(SignInProvider, {
      where: { tenantId: principal.tenantId, id },
      select: { tenantId: true, id: true, clientSecret: true },
    });
    const { groups: _, ...row } = provider;
    return { provider, row: { ...row, clientSecret } };
  }

  /** Another administrator may have changed the provider during the request to it. */
  private async refuseConcurrentChange(tx: Tx, principal: Principal, before: SignInProvider): Promise<void> {
    await tx.execute(lockProvider, [principal.tenantId, before.id]);
    assertCurrentVersion(
      contentVersionOf(signInProviderSettings(before)),
      signInProviderSettings(await this.get(tx, principal, before.id)),
    );
  }

  /** A changed issuer or client must never receive the secret that was entered for the previous one. */
  private applyChange(before: Row, change: UpdateSignInProviderInput): Row {
    const issuer = change.issuer == null ? before.issuer : requireIssuer(change.issuer);
    const clientId = change.clientId ?? before.clientId;
    const isAnother = issuer !== before.issuer || clientId !== before.clientId;
    if (isAnother && before.clientSecret && change.clientSecret === undefined)
      throw invalidRequest(
        'You changed the issuer or the client ID. Enter the client secret again (null for a public client).',
        {
          errors: [{ pointer: '/clientSecret', detail: 'must be entered again' }],
        },
      );
    const secret = change.clientSecret;
    return {
      ...before,
      name: change.name?.trim() ?? before.name,
      issuer,
      clientId,
      clientSecret:
        secret == null
          ? secret === null
            ? null
            : before.clientSecret
          : this.seal.seal(secret, clientSecretLocation(before.id)),
      emailDomains: change.emailDomains ? normalizeDomains(change.emailDomains) : before.emailDomains,
      createsMembers: change.createsMembers ?? before.createsMembers,
      disabledAt:
        change.isEnabled == null ? before.disabledAt : change.isEnabled ? null : (before.disabledAt ?? new Date()),
    };
  }

  private record(
    tx: Tx,
    principal: Principal,
    kind: string,
    { id, name }: Pick<Row, 'id' | 'name'>,
    detail: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.record(tx, principal, { kind, subject: { type: 'sign_in_provider', id, name }, detail });
  }
}

const clientSecretLocation = (row: string) => ({ table: 'sign_in_providers', column: 'client_secret', row });

const normalizeDomains = (typed: readonly string[]) =>
  [...new Set(typed.map((domain) => domain.trim().toLowerCase()))].sort();

function requireIssuer(typed: string): string {
  const issuer = typed.trim();
  const fault = issuerFault(issuer);
  if (fault) throw invalidRequest(`The issuer ${fault}.`, { errors: [{ pointer: '/issuer', detail: fault }] });
  return issuer;
}

/** Includes the tenant, so that nobody can choose the id of another organization's provider. */
const reservedProviderId = (tenantId: string, reservation: string): string =>
  derivedId('sign-in-provider', tenantId, reservation);

function refuseTakenIssuer<T>(change: Promise<T>, issuer: string): Promise<T> {
  return change.catch((error: unknown) => {
    if (isUniqueViolation(error, 'sign_in_providers_pkey'))
      throw nameTaken('A sign-in provider was already added with this redirect URI.');
    throw isUniqueViolation(error, 'sign_in_providers_tenant_id_issuer_key')
      ? nameTaken(`There is already a sign-in provider for ${issuer}.`)
      : error;
  });
}
