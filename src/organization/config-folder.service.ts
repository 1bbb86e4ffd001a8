import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Tenant } from '../access/tenant.entity.js';
import { TenantsService } from '../access/tenants.service.js';
import { Config } from '../platform/config/config.js';
import { Problem } from '../platform/errors/problem.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { type FolderDocuments, FolderError, readDocumentFolder } from './files/document-folder.js';
import { documentsInvalid, planOutdated } from './organization.error.js';
import type { SecretValue } from './application-context.js';
import type { OrganizationPlan } from './organization-plan.js';
import { OrganizationService } from './organization.service.js';

/** Several processes start at once: one of them applies the documents, the others find nothing left to change. */
const maxAttempts = 5;

/** Applies the documents of CONFIG_DIR when the server starts, or when its first organization is created. */
@Injectable()
export class ConfigFolderService implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly tenants: TenantsService,
    private readonly organization: OrganizationService,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    const { configDir, configOrganization, isWeb } = this.config;
    if (!configDir || !isWeb) return;
    this.tenants.onCreated(async (tenant) => {
      if (
        (configOrganization ?? tenant.slug) !== tenant.slug ||
        !(await this.tenants.findForSignIn(configOrganization))
      )
        return;
      await this.applyTo(tenant, await readDocumentFolder(configDir)).catch((error: unknown) =>
        this.log.error({ err: error }, 'the documents of CONFIG_DIR could not be applied to the new organization'),
      );
    });
  }

  /** Throws if a document is invalid or cannot be applied. Then nothing has changed, and the server does not start. */
  async applyAtStart(): Promise<void> {
    const { configDir, configOrganization } = this.config;
    if (!configDir) return;
    try {
      const files = await readDocumentFolder(configDir);
      if (!files.documents.length) this.log.warn({ configDir }, 'CONFIG_DIR has no documents');
      const tenant = await this.tenants.findForSignIn(configOrganization);
      if (tenant) return await this.applyTo(tenant, files);
      if (!configOrganization && (await this.tenants.hasAny()))
        throw new Error('there is more than one organization: name one with CONFIG_ORGANIZATION');
      this.log.info({ configDir }, 'CONFIG_DIR will be applied when the organization is created');
    } catch (error) {
      throw new Error(`CONFIG_DIR: ${messageOf(error)}`, { cause: error });
    }
  }

  private async applyTo(tenant: Tenant, files: FolderDocuments): Promise<void> {
    const principal = systemPrincipal(tenant.id, 'CONFIG_DIR');
    const { documents } = files;
    for (let attempt = 1; ; attempt++) {
      try {
        const plan = await this.organization.plan(principal, documents);
        if (!plan.changes.length) return;
        if (await this.organization.requiresSecondAdministrator(principal, plan)) {
          this.log.warn(
            { changes: plan.changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`) },
            'the documents of CONFIG_DIR were not applied: they need a second administrator; use "countersign apply"',
          );
          return;
        }
        const secrets = this.secretsOf(plan);
        await this.organization.apply(principal, { documents, hash: plan.hash, secrets });
        this.log.info({ organization: tenant.slug, changes: plan.changes.length }, 'CONFIG_DIR was applied');
        return;
      } catch (error) {
        const isOutdated = error instanceof Problem && error.code === planOutdated.code;
        if (!isOutdated || attempt === maxAttempts) throw withPlaces(error, files);
      }
    }
  }

  /** Missing ones are reported with the place of their document. */
  private secretsOf({ changes }: OrganizationPlan): SecretValue[] {
    return changes.flatMap(({ name: connection, secrets }) =>
      secrets.map(({ secret, environment }) => ({
        connection,
        secret,
        value: this.config.secretVariables.get(environment) ?? '',
      })),
    );
  }
}

/** Names files and lines instead of numbers of documents. */
function withPlaces(error: unknown, files: FolderDocuments): unknown {
  if (!(error instanceof Problem) || error.code !== documentsInvalid.code) return error;
  return new FolderError(
    (error.errors ?? []).map(({ pointer, detail }) => {
      const [nth, ...field] = pointer.split('/').slice(1);
      return { ...files.placeOf(Number(nth), field), message: detail };
    }),
  );
}

function messageOf(error: unknown): string {
  if (error instanceof FolderError) return `the files are not valid:\n${error.message}`;
  return (error as Error).message;
}
