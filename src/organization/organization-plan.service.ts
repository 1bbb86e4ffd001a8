import { Injectable } from '@nestjs/common';
import { ConnectionPlansService } from '../connections/connection-plans.service.js';
import { newId } from '../platform/crypto/ids.js';
import type { Tx } from '../platform/database/tx.js';
import type { InvalidField } from '../platform/errors/problem.js';
import type { Principal } from '../principal/principal.js';
import { secretValue } from './application-context.js';
import { documentDifferences } from './document-diff.js';
import {
  type ObjectKind,
  documentName,
  type DocumentOf,
  keyOf,
  nameKey,
  type OrganizationDocument,
} from './documents.js';
import { normalizedDocument, References } from './normalized-document.js';
import { documentsInvalid, planOutdated } from './organization.error.js';
import type { OrganizationApplication } from './organization-application.js';
import {
  hashOf,
  type OrganizationPlan,
  type PlannedChange,
  type OrganizationPlanOptions,
} from './organization-plan.js';
import type { OrganizationState, StoredDocument } from './organization-state.js';
import { OrganizationStateService } from './organization-state.service.js';
import { membersNamedIn } from './stored-documents.js';

const maxFaults = 100;
const removable: readonly ObjectKind[] = ['budget', 'client', 'connection', 'group'];

export interface LoadedPlan {
  plan: OrganizationPlan;
  state: OrganizationState;
}

/** Compares documents with the organization. */
@Injectable()
export class OrganizationPlanService {
  constructor(
    private readonly states: OrganizationStateService,
    private readonly connectionPlans: ConnectionPlansService,
  ) {}

  /** Throws if a document is invalid. */
  async make(
    tx: Tx,
    principal: Principal,
    documents: readonly OrganizationDocument[],
    options: OrganizationPlanOptions = {},
  ): Promise<LoadedPlan> {
    const state = await this.states.load(tx, principal, {
      membersOf: new Set(documents.flatMap((one) => (one.kind === 'group' && one.members ? [nameKey(one.name)] : []))),
      members: documents.flatMap(mentionedMembers),
    });
    const keys = new Set(documents.map(keyOf));
    const isPruned = ({ document }: StoredDocument) =>
      Boolean(options.prune) && removable.includes(document.kind) && !keys.has(keyOf(document));
    const remaining = [...state.objects.values()].filter((one) => !isPruned(one));
    const names = new Map(
      [...remaining.map(({ document }) => document), ...documents].map((one) => [keyOf(one), documentName(one)]),
    );
    const faults: InvalidField[] = duplicateFaults(documents);
    const wanted = documents.map((document, nth) => {
      const references = new References(names);
      const normalized = normalizedDocument(document, references, state, (connector) =>
        this.connectionPlans.configurationSettings(connector),
      );
      const own = [...references.faults, ...this.faultsOf(normalized, state)];
      faults.push(...own.map(({ pointer, detail }) => ({ pointer: `/${nth}${pointer}`, detail })));
      return normalized;
    });
    if (faults.length) throw invalidDocuments(faults);
    const planned: PlannedChange[] = [];
    for (const document of wanted) {
      const change = this.changeOf(document, state.objects.get(keyOf(document)), options);
      if (change) planned.push(change);
    }
    const deleted = [...state.objects.values()].filter(isPruned).map(deletionOf);
    const changes = inOrderOfWork([...planned, ...deleted]);
    addApproverGroupAreas(changes, [...[...state.objects.values()].map(({ document }) => document), ...wanted]);
    const unmanaged = remaining
      .filter(({ document }) => document.kind !== 'policy' && !keys.has(keyOf(document)))
      .map(({ document }) => ({ kind: document.kind, name: documentName(document) }));
    return {
      state,
      plan: {
        hash: hashOf(wanted, options, changes),
        changes,
        unchanged: wanted.length - planned.length,
        unmanaged,
      },
    };
  }

  /** Throws `plan-outdated` if the plan is not the one that was shown. */
  async makeShown(tx: Tx, principal: Principal, input: OrganizationApplication): Promise<LoadedPlan> {
    const loaded = await this.make(tx, principal, input.documents, input);
    if (loaded.plan.hash !== input.hash) throw planOutdated('The changes are no longer those of the plan.');
    requireSecrets(input, loaded.plan.changes);
    return loaded;
  }

  private faultsOf(document: OrganizationDocument, state: OrganizationState): InvalidField[] {
    const current = state.objects.get(keyOf(document))?.document;
    switch (document.kind) {
      case 'connection':
        return this.connectionFaults(document, current as DocumentOf<'connection'> | undefined);
      case 'group':
        return (document.members ?? []).flatMap((email, nth) =>
          state.ids.members.has(email) ? [] : [{ pointer: `/members/${nth}`, detail: `there is no member "${email}"` }],
        );
      case 'configuration':
        return document.unprefixed && document.connections.length !== 1
          ? [{ pointer: '/unprefixed', detail: 'needs a configuration with exactly one connection' }]
          : [];
      case 'client':
        return current?.kind === 'client' && current.type !== document.type
          ? [{ pointer: '/type', detail: `cannot change: the client is ${current.type}` }]
          : [];
      default:
        return [];
    }
  }

  private connectionFaults(
    document: DocumentOf<'connection'>,
    current: DocumentOf<'connection'> | undefined,
  ): InvalidField[] {
    if (current && current.connector !== document.connector)
      return [{ pointer: '/connector', detail: `cannot change: the connection is of "${current.connector}"` }];
    const ids = this.connectionPlans.configurationSettings(document.connector);
    const settings = Object.fromEntries(
      Object.entries(document.settings).map(([name, value]) => [name, ids.includes(name) ? newId() : value]),
    );
    const secrets = Object.fromEntries(
      Object.entries(document.secrets).map(([name, from]) => [name, from && 'from the environment']),
    );
    return this.connectionPlans.faultsOf(document.connector, settings, secrets, !current);
  }

  private changeOf(
    document: OrganizationDocument,
    current: StoredDocument | undefined,
    options: OrganizationPlanOptions,
  ): PlannedChange | null {
    if (document.kind === 'connection') return this.connectionChangeOf(document, current, options);
    const before = current ? comparable(current.document, document) : {};
    const fields = documentDifferences(before, comparable(document, document));
    if (current && !fields.length) return null;
    return changeTo(document, current, fields);
  }

  private connectionChangeOf(
    document: DocumentOf<'connection'>,
    current: StoredDocument | undefined,
    { replaceSecrets = false }: OrganizationPlanOptions,
  ): PlannedChange | null {
    const before = current?.document as DocumentOf<'connection'> | undefined;
    const targets = before
      ? this.connectionPlans.changedTargets(document.connector, before.settings, document.settings)
      : [];
    const secrets: Record<string, string | null> = {};
    const toSet: PlannedChange['secrets'] = [];
    for (const name of Object.keys(before?.secrets ?? {})) secrets[name] = targets.length ? null : 'stored';
    for (const [secret, from] of Object.entries(document.secrets)) {
      if (from === null) secrets[secret] = null;
      else if (secrets[secret] !== 'stored' || replaceSecrets) {
        toSet.push({ secret, environment: from.fromEnvironment });
        secrets[secret] = `from ${from.fromEnvironment}`;
      }
    }
    const stored = Object.fromEntries(Object.keys(before?.secrets ?? {}).map((name) => [name, 'stored']));
    const secretsAfter = Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== null));
    const fields = documentDifferences(before ? { ...comparable(before, document), secrets: stored } : {}, {
      ...comparable(document, document),
      secrets: secretsAfter,
    });
    if (current && !fields.length) return null;
    return {
      ...changeTo(document, current, fields),
      secrets: toSet,
      areas: !current || targets.length ? ['connection_targets'] : [],
    };
  }
}

/** Members of groups that approve, now or after the changes. */
function addApproverGroupAreas(changes: readonly PlannedChange[], documents: readonly OrganizationDocument[]): void {
  const approving = new Set(
    documents.flatMap((one) =>
      one.kind === 'approval-step'
        ? [one.approvers, one.escalation?.approvers].flatMap((name) => (name ? [nameKey(name)] : []))
        : [],
    ),
  );
  for (const { kind, name, fields, areas } of changes)
    if (kind === 'group' && approving.has(nameKey(name)) && fields.some(({ path }) => path === 'members'))
      areas.push('approver_groups');
}

function mentionedMembers(document: OrganizationDocument): readonly string[] {
  if (document.kind === 'group') return document.members ?? [];
  return document.kind === 'policy' ? membersNamedIn(document.text) : [];
}

function requireSecrets({ documents, secrets }: OrganizationApplication, changes: readonly PlannedChange[]): void {
  const faults = changes.flatMap(({ kind, name, secrets: needed }) =>
    needed
      .filter(({ secret }) => !secretValue(secrets, name, secret))
      .map(({ secret, environment }) => ({
        pointer: `/${documents.findIndex((one) => one.kind === kind && documentName(one) === name)}/secrets/${secret}`,
        detail: `${environment} is not set`,
      })),
  );
  if (faults.length) throw invalidDocuments(faults);
}

function duplicateFaults(documents: readonly OrganizationDocument[]): InvalidField[] {
  const seen = new Set<string>();
  return documents.flatMap((document, nth) => {
    const key = keyOf(document);
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [
      { pointer: `/${nth}`, detail: `another document is also the ${document.kind} "${documentName(document)}"` },
    ];
  });
}

export function invalidDocuments(faults: readonly InvalidField[]) {
  const [{ pointer, detail }] = faults;
  const more = faults.length > 1 ? ` There are ${faults.length - 1} more errors.` : '';
  return documentsInvalid(`Document ${pointer}: ${detail}.${more}`, { errors: faults.slice(0, maxFaults) });
}

/** The fields that are compared: optional ones only if the document has them. */
function comparable(document: OrganizationDocument, wanted: OrganizationDocument): Record<string, unknown> {
  const { kind: _kind, ...fields } = document as Record<string, unknown>;
  const given = wanted as Record<string, unknown>;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => given[name] !== undefined));
}

const tokenFields = new Set(['name', 'description', 'unprefixed']);
const isEmpty = (value: unknown) => value == null || (Array.isArray(value) && !value.length);

function changeTo(
  wanted: OrganizationDocument,
  current: StoredDocument | undefined,
  fields: PlannedChange['fields'],
): PlannedChange {
  const { kind } = wanted;
  const isForTokens =
    kind === 'budget' ||
    (kind === 'configuration' &&
      fields.every(({ path, after }) => tokenFields.has(path) || (!current && isEmpty(after))));
  return {
    action: current ? 'update' : 'create',
    kind,
    name: documentName(wanted),
    fields,
    wanted,
    current,
    secrets: [],
    areas: areasOf(kind, fields, current),
    needsSession: !isForTokens,
  };
}

function areasOf(
  kind: ObjectKind,
  fields: PlannedChange['fields'],
  current: StoredDocument | undefined,
): PlannedChange['areas'] {
  if (kind === 'policy') return ['policies'];
  if (kind !== 'approval-step') return [];
  const approvers = fields.some(({ path, after }) => /approvers$|^escalation/.test(path) && (current || after != null));
  return approvers ? ['approval_steps', 'approver_groups'] : ['approval_steps'];
}

const deletionOf = (current: StoredDocument): PlannedChange => ({
  action: 'delete',
  kind: current.document.kind,
  name: documentName(current.document),
  fields: [],
  current,
  secrets: [],
  areas: [],
  needsSession: !['budget', 'client'].includes(current.document.kind),
});

const order: readonly ObjectKind[] = [
  'group',
  'connection',
  'configuration',
  'approval-step',
  'policy',
  'client',
  'budget',
];

/** Objects come after those that they refer to, and are deleted before them. */
function inOrderOfWork(changes: readonly PlannedChange[]): PlannedChange[] {
  const rank = ({ action, kind }: PlannedChange) =>
    action === 'delete' ? 2 * order.length - order.indexOf(kind) : order.indexOf(kind);
  return changes.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}
