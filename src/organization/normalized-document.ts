import { replaceNamedEntities } from '../policies/entity-names.port.js';
import { unitKey, unitName } from '../people/units/unit-name.port.js';
import { documentKey, nameKey, type ObjectKind, type DocumentOf, type OrganizationDocument } from './documents.js';
import type { OrganizationState } from './organization-state.js';
import { entityName, isId, plainDecimal } from './stored-documents.js';

/** A problem of one document; the pointer starts at the document. */
export interface DocumentFault {
  pointer: string;
  detail: string;
}

/** Finds the objects that documents refer to, and remembers the references that lead nowhere. */
export class References {
  readonly faults: DocumentFault[] = [];

  /** `names`: the spelling of each object that exists after the change, by its key. */
  constructor(private readonly names: ReadonlyMap<string, string>) {}

  /** The name as the object spells it. */
  spelled(kind: ObjectKind, name: string, pointer: string): string {
    const spelling = this.names.get(documentKey(kind, name));
    if (spelling === undefined) this.faults.push({ pointer, detail: `there is no ${kind} "${name}"` });
    return spelling ?? name;
  }

  optional(kind: ObjectKind, name: string | null, pointer: string): string | null {
    return name === null ? null : this.spelled(kind, name, pointer);
  }

  /** Sorted, like those of an export. */
  all(kind: ObjectKind, names: readonly string[], pointer: string): string[] {
    return names.map((name, nth) => this.spelled(kind, name, `${pointer}/${nth}`)).sort();
  }
}

/** The document as an export would write it, so that spelling and order make no difference. */
export function normalizedDocument(
  document: OrganizationDocument,
  references: References,
  state: OrganizationState,
  configurationSettings: (connector: string) => readonly string[],
): OrganizationDocument {
  switch (document.kind) {
    case 'group':
      return {
        ...document,
        ...(document.members && { members: document.members.map((email) => email.toLowerCase()).sort() }),
      };
    case 'connection':
      return normalizedConnection(document, references, configurationSettings(document.connector));
    case 'configuration':
      return {
        ...document,
        connections: references.all('connection', document.connections, '/connections'),
        groups: references.all('group', document.groups, '/groups'),
        model: references.optional('connection', document.model, '/model'),
      };
    case 'approval-step':
      return {
        ...document,
        approvers: references.optional('group', document.approvers, '/approvers'),
        escalation: document.escalation && {
          ...document.escalation,
          approvers: references.optional('group', document.escalation.approvers, '/escalation/approvers'),
        },
      };
    case 'policy':
      return normalizedPolicy(document, references, state);
    case 'client':
      return {
        ...document,
        description: document.description?.trim() || null,
        logoUrl: document.logoUrl || null,
        configuration: references.optional('configuration', document.configuration, '/configuration'),
        scopes: document.scopes.includes('api:write') ? ['api:read', 'api:write'] : document.scopes,
        authMethod: document.authMethod ?? (document.type === 'public' ? 'none' : 'client_secret_basic'),
      };
    case 'budget':
      if ((document.scope === 'organization') !== (document.of === null))
        references.faults.push({
          pointer: '/of',
          detail: document.of === null ? 'is missing' : 'is only for groups and cost centres',
        });
      return {
        ...document,
        of: document.of === null ? null : spelledUnit(document.scope, document.of, state),
        amountCents: plainDecimal(document.amountCents.replace(/^0+(?=\d)/, '')),
        thresholds: document.thresholds.toSorted((a, b) => a - b),
      };
  }
}

function normalizedConnection(
  document: DocumentOf<'connection'>,
  references: References,
  configurationSettings: readonly string[],
): OrganizationDocument {
  const settings = Object.entries(document.settings)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => [
      name,
      configurationSettings.includes(name) && typeof value === 'string'
        ? references.spelled('configuration', value, `/settings/${name}`)
        : value,
    ]);
  return { ...document, displayName: document.displayName ?? document.name, settings: Object.fromEntries(settings) };
}

function normalizedPolicy(
  document: DocumentOf<'policy'>,
  references: References,
  { ids, names }: OrganizationState,
): OrganizationDocument {
  const configuration = references.spelled('configuration', document.configuration, '/configuration');
  const configurationId = ids.configurations.get(nameKey(configuration));
  const text = replaceNamedEntities(document.text, (entity) => {
    const name = entityName(entity, names) ?? entity.id;
    if (isId(name)) return undefined; // of no object: the check of the policy finds it
    if (entity.type === 'Group') return references.spelled('group', name, '/text');
    if (entity.type === 'Member') return name.toLowerCase();
    return names.agents.get(ids.agents.get(`${configurationId} ${nameKey(name)}`) ?? '') ?? name;
  });
  return { ...document, configuration, text };
}

function spelledUnit(scope: string, name: string, { ids, names }: OrganizationState): string {
  const id = ids.units.get(`${scope} ${unitKey(name)}`);
  return (id && names.units.get(id)) ?? unitName(name);
}
