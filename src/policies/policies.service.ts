import { Injectable } from '@nestjs/common';
import { AdministrationService } from '../access/administration/administration.service.js';
import {
  authorNameOf,
  authorsOf,
  type ChangeDescription,
  differingFields,
} from '../access/administration/administration-change.port.js';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { OutboxService } from '../platform/events/outbox.service.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { ConfigurationPartsRegistry } from './configuration-parts-registry.service.js';
import type { Vocabulary } from './check.js';
import { defaultPolicy } from './default-policy.js';
import { maxPolicyTextLength } from './policy.js';
import { policyChanged, policyDraftChanged, policyTextRefused, policyUnchanged } from './policies.error.js';
import { type ListedPolicyRevision, lockPolicies, selectPolicyRevisions } from './policies.sql.js';
import { PolicyDraft } from './policy-draft.entity.js';
import { PolicyRevision } from './policy-revision.entity.js';
import { type PolicyTextCheckResult, PolicyTextChecker } from './policy-text-checker.service.js';
import { isReviewExpected, ReviewerStatusService } from './reviewer-status.service.js';
import { VocabularyService } from './vocabulary.service.js';

export type { Vocabulary };

export interface PublishedRevision {
  tenantId: string;
  configurationId: string;
  revision: number;
}

/** The revision in effect, and the draft. */
export interface PolicyState {
  current: PolicyRevision | null;
  draft: PolicyDraft | null;
}

interface PolicyPublication {
  configurationId: string;
  text: string;
  basedOn?: number | null;
  note?: string | null;
}

type PolicyPublishedHandler = (tx: Tx, published: PublishedRevision) => Promise<void>;

@Injectable()
export class PoliciesService {
  private readonly submitText: (principal: Principal, input: PolicyPublication) => Promise<PolicyRevision>;
  private readonly handlers: PolicyPublishedHandler[] = [];

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly outbox: OutboxService,
    private readonly configurationPartsRegistry: ConfigurationPartsRegistry,
    private readonly vocabularies: VocabularyService,
    private readonly checks: PolicyTextChecker,
    private readonly reviewerStatuses: ReviewerStatusService,
    administration: AdministrationService,
  ) {
    this.submitText = administration.register<PolicyPublication, PolicyRevision>({
      kind: 'policy.publish',
      permission: 'policies:manage',
      prepare: (principal, { configurationId, text }) => this.requireValid(principal, configurationId, text),
      describe: (tx, principal, input) => this.describePublication(tx, principal, input),
      apply: (tx, principal, input) => this.publishIn(tx, principal, input),
    });
  }

  /** The handler runs in the publishing transaction, so that pending approvals are revalidated in it. */
  onPublished(handler: PolicyPublishedHandler): void {
    this.handlers.push(handler);
  }

  async findCurrent(tx: Tx, tenantId: string, configurationId: string): Promise<PolicyRevision | null> {
    return tx.findOne(PolicyRevision, { where: { tenantId, configurationId }, order: { revision: 'desc' } });
  }

  /** Until the transaction ends, no other revision is published. */
  async lockCurrent(tx: Tx, tenantId: string, configurationId: string): Promise<PolicyRevision | null> {
    await tx.execute(lockPolicies, [configurationId]);
    return this.findCurrent(tx, tenantId, configurationId);
  }

  get(principal: Principal, configurationId: string): Promise<PolicyState> {
    return this.inConfiguration(principal, configurationId, async (tx, { tenantId }) => ({
      current: await this.findCurrent(tx, tenantId, configurationId),
      draft: await tx.findOneBy(PolicyDraft, { tenantId, configurationId }),
    }));
  }

  /** Newest first. */
  listRevisions(
    principal: Principal,
    configurationId: string,
    { first, after }: PageArgs,
  ): Promise<Page<ListedPolicyRevision>> {
    const below = after ? decodeRevisionCursor(after) : null;
    return this.inConfiguration(principal, configurationId, async (tx, { tenantId }) => {
      const rows = await tx.run(selectPolicyRevisions, [tenantId, configurationId, below, first + 1]);
      return toPage(rows, first, rows[0]?.total ?? 0, ({ revision }) => [String(revision)]);
    });
  }

  vocabulary(principal: Principal, configurationId: string, members: readonly string[] = []): Promise<Vocabulary> {
    return this.inConfiguration(principal, configurationId, (tx) =>
      this.vocabularies.load(tx, principal, configurationId, members),
    );
  }

  async validate(principal: Principal, configurationId: string, text: string): Promise<PolicyTextCheckResult> {
    if (text.length > maxPolicyTextLength)
      throw invalidRequest(`The text has more than ${maxPolicyTextLength} characters.`);
    return this.checks.check(principal, text, (members) => this.vocabulary(principal, configurationId, members));
  }

  /** Throws if the text has errors. */
  async requireValid(principal: Principal, configurationId: string, text: string): Promise<void> {
    const { errors } = await this.validate(principal, configurationId, text);
    if (errors.length) throw policyTextRefused(errors);
  }

  /** Saves a draft, which may have errors. `on`: what the text is based on; if omitted, any draft is overwritten. */
  saveDraft(
    principal: Principal,
    configurationId: string,
    text: string,
    on: { basedOn?: number | null; replaces?: Date | null } = {},
  ): Promise<PolicyDraft> {
    return this.inConfiguration(principal, configurationId, async (tx, { tenantId, memberId = null, name }) => {
      const current = await this.lockCurrent(tx, tenantId, configurationId);
      refuseSupersededRevision(current, on.basedOn);
      await refuseAnotherDraft(tx, { tenantId, configurationId }, on.replaces);
      const basedOn = current?.revision ?? 0;
      const draft = tx.create(PolicyDraft, {
        tenantId,
        configurationId,
        text,
        basedOn,
        savedBy: memberId,
        saver: name,
        savedAt: new Date(),
      });
      await tx.upsert(PolicyDraft, draft, ['tenantId', 'configurationId']);
      await this.audit.record(tx, principal, {
        kind: 'policy.drafted',
        subject: subject(configurationId),
        detail: { basedOn },
      });
      return draft;
    });
  }

  discardDraft(principal: Principal, configurationId: string): Promise<PolicyState> {
    return this.inConfiguration(principal, configurationId, async (tx, { tenantId }) => {
      const { affected } = await tx.delete(PolicyDraft, { tenantId, configurationId });
      if (affected)
        await this.audit.record(tx, principal, {
          kind: 'policy.draft_discarded',
          subject: subject(configurationId),
        });
      return { current: await this.findCurrent(tx, tenantId, configurationId), draft: null };
    });
  }

  /**
   * Publishes a text as the next revision, in effect from the next call on. `basedOn`: the revision that the text is
   * based on; if omitted, any revision is replaced. A text that is already published is not published again.
   */
  async publish(
    principal: Principal,
    configurationId: string,
    text: string,
    { basedOn, note }: { basedOn?: number | null; note?: string | null } = {},
  ): Promise<PolicyRevision> {
    requireSession(principal);
    return this.submitText(principal, { configurationId, text, basedOn, note });
  }

  private async describePublication(tx: Tx, principal: Principal, input: PolicyPublication) {
    const { configurationId, text, basedOn, note } = input;
    const { name } = await this.configurationPartsRegistry.load(tx, principal.tenantId, configurationId);
    const current = await this.findCurrent(tx, principal.tenantId, configurationId);
    refuseSupersededRevision(current, basedOn);
    if (current?.text === text) return null;
    return {
      areas: ['policies'],
      title: `Publish policies of ${name}`,
      subject: { ...subject(configurationId), name },
      fields: differingFields([
        ['Policies', current?.text ?? null, text],
        ['Note', null, note?.trim() || null],
      ]),
      basis: `revision ${current?.revision ?? 0}`,
    } satisfies ChangeDescription;
  }

  /** The text must have been validated. */
  async publishIn(
    tx: Tx,
    principal: Principal,
    { configurationId, text, basedOn, note }: PolicyPublication,
  ): Promise<PolicyRevision> {
    const { tenantId } = principal;
    await this.configurationPartsRegistry.load(tx, tenantId, configurationId);
    const current = await this.lockCurrent(tx, tenantId, configurationId);
    refuseSupersededRevision(current, basedOn);
    const newNote = note?.trim() || null;
    const isPublished = current?.text === text;
    // with the same note, it is a retry
    if (isPublished && newNote && newNote !== current.note)
      throw policyUnchanged(`Revision ${current.revision} has the same text.`);
    await tx.delete(PolicyDraft, { tenantId, configurationId });
    return isPublished ? current : this.addRevision(tx, principal, configurationId, text, newNote);
  }

  /** Publishes the default policies of a new configuration, in the transaction that creates it. */
  async publishDefault(tx: Tx, principal: Principal, configurationId: string): Promise<PolicyRevision> {
    const status = await this.reviewerStatuses.load(tx, principal);
    const text = defaultPolicy({ needsReview: isReviewExpected(status) });
    return this.addRevision(tx, principal, configurationId, text);
  }

  /** The configurations that still have the default policy with confirmation instead of review. */
  async listWithoutReview(principal: Principal): Promise<string[]> {
    const textHash = sha256(defaultPolicy({ needsReview: false }));
    return this.database.tenant(principal, async (tx) => {
      const current = await currentRevisions(tx, principal)
        .select(['policy.tenantId', 'policy.configurationId', 'policy.revision', 'policy.textHash'])
        .getMany();
      return current.filter((policy) => policy.textHash.equals(textHash)).map(({ configurationId }) => configurationId);
    });
  }

  /** The revision in effect of each configuration. */
  listCurrent(tx: Tx, principal: Principal): Promise<PolicyRevision[]> {
    return currentRevisions(tx, principal).getMany();
  }

  private async addRevision(
    tx: Tx,
    principal: Principal,
    configurationId: string,
    text: string,
    note: string | null = null,
  ): Promise<PolicyRevision> {
    const { tenantId } = principal;
    const [publishedBy = null] = authorsOf(principal);
    const revision = ((await this.findCurrent(tx, tenantId, configurationId))?.revision ?? 0) + 1;
    const textHash = sha256(text);
    const row = tx.create(PolicyRevision, {
      tenantId,
      configurationId,
      revision,
      text,
      textHash,
      publishedBy,
      publisher: authorNameOf(principal),
      publishedAt: new Date(),
      note,
    });
    await tx.insert(PolicyRevision, row);
    await this.audit.record(tx, principal, {
      kind: 'policy.published',
      subject: subject(configurationId),
      detail: { revision, textHash: textHash.toString('hex'), ...(note ? { note } : {}) },
    });
    await this.outbox.write(tx, tenantId, 'policy.published', { configurationId, revision });
    for (const handle of this.handlers) await handle(tx, { tenantId, configurationId, revision });
    return row;
  }

  /** Runs in a transaction, after checking that the configuration exists. */
  private inConfiguration<T>(
    principal: Principal,
    configurationId: string,
    run: (tx: Tx, principal: Principal) => Promise<T>,
  ): Promise<T> {
    return this.database.tenant(principal, async (tx) => {
      await this.configurationPartsRegistry.load(tx, principal.tenantId, configurationId);
      return run(tx, principal);
    });
  }
}

function refuseSupersededRevision(current: PolicyRevision | null, basedOn?: number | null): void {
  const revision = current?.revision ?? 0;
  if (basedOn == null || basedOn === revision) return;
  throw policyChanged(
    current
      ? `${current.publisher} published revision ${revision}; the text is based on revision ${basedOn}.`
      : `No revision is published; the text is based on revision ${basedOn}.`,
  );
}

/** Prevents overwriting a draft that the author has not seen. */
async function refuseAnotherDraft(
  tx: Tx,
  where: { tenantId: string; configurationId: string },
  replaces?: Date | null,
): Promise<void> {
  if (replaces === undefined) return;
  const draft = await tx.findOneBy(PolicyDraft, where);
  if (!draft || draft.savedAt.getTime() === replaces?.getTime()) return;
  throw policyDraftChanged(`${draft.saver} saved another draft.`);
}

function decodeRevisionCursor(cursor: string): number {
  const revision = Number(decodeCursor(cursor, ['text'])[0]);
  if (!Number.isInteger(revision) || revision < 1 || revision >= 2 ** 31)
    throw invalidRequest('The cursor does not belong to this list.');
  return revision;
}

const currentRevisions = (tx: Tx, { tenantId }: Principal) =>
  tx
    .createQueryBuilder(PolicyRevision, 'policy')
    .distinctOn(['policy.configurationId'])
    .where({ tenantId })
    .orderBy('policy.configurationId')
    .addOrderBy('policy.revision', 'DESC');

const subject = (id: string) => ({ type: 'configuration', id });
