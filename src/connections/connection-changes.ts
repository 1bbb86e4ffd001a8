import { type ChangeDescription, differingFields } from '../access/administration/administration-change.port.js';
import { newId } from '../platform/crypto/ids.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { Connection } from './connection.entity.js';
import type { CreateConnectionInput, UpdateConnectionInput } from './connection.input.js';
import { connectionChanged, slugTaken } from './connections.error.js';
import type { Connector } from './connector-registry.service.js';
import { defaultResultRules } from './result-rules.js';
import {
  mergedSettings,
  secretFaults,
  type SecretChanges,
  type Settings,
  settingsFaults,
  withoutQuery,
} from './settings.js';

export function newConnectionOf(
  tenantId: string,
  connector: Connector,
  { name, slug, settings: entered, secrets }: CreateConnectionInput,
): Connection {
  const settings = mergedSettings({}, entered);
  requireValidSettings(connector, settings, secrets ?? {}, true);
  return Object.assign(new Connection(), {
    tenantId,
    id: newId(),
    kind: connector.id,
    name: name.trim(),
    slug,
    settings,
    revision: 1,
    status: 'unverified',
    statusReason: null,
    verifiedAt: null,
    pausedAt: null,
    removedAt: null,
    createdAt: new Date(),
    changedAt: null,
    changedBy: null,
    resultRules: connector.speaksForUs || connector.showsPartialResults ? null : { ...defaultResultRules },
  } satisfies Connection);
}

export function requireValidSettings(
  connector: Connector,
  settings: Settings,
  secrets: SecretChanges,
  isNew: boolean,
): void {
  const errors = [...settingsFaults(connector, settings), ...secretFaults(connector, secrets, isNew)];
  if (errors.length)
    throw invalidRequest(errors.length === 1 ? 'One value is invalid.' : `${errors.length} values are invalid.`, {
      errors,
    });
}

/** What a second administrator sees of changes of connections. Credentials are shown by name only. */
export const describeNewConnection = (
  { kind, name, slug, settings }: Connection,
  secrets: SecretChanges,
): ChangeDescription => ({
  areas: ['connection_targets'],
  title: `Add the integration ${name}`,
  subject: { type: 'connection', id: slug, name },
  fields: differingFields([
    ['Connector', null, kind],
    ['Name', null, name],
    ['Tool prefix', null, slug],
    ...settingEntries({}, settings),
    ...secretEntries(secrets),
  ]),
});

export const describeNewTarget = (
  { id, name: before, settings, revision }: Connection,
  after: Settings,
  { name, secrets }: UpdateConnectionInput,
): ChangeDescription => ({
  areas: ['connection_targets'],
  title: `Change the target of the integration ${before}`,
  subject: { type: 'connection', id, name: before },
  fields: differingFields([
    ['Name', before, name?.trim() ?? before],
    ...settingEntries(settings, after),
    ['Credentials', 'Those of the previous target', 'Cleared, unless entered again'],
    ...secretEntries(secrets ?? {}),
  ]),
  basis: `revision ${revision}`,
});

export const changedNames = (before: Settings, after: Settings): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );

const settingEntries = (before: Settings, after: Settings) =>
  changedNames(before, after).map((name) => {
    const [from, to] = [settingText(before[name]), settingText(after[name])];
    return [name, from, from === to ? `${to} (other values)` : to] as const;
  });

/** The query of a URL may contain a key, so only the names of its parameters are shown. */
function settingText(value: unknown): string | null {
  if (value == null) return null;
  if (typeof value !== 'string') return JSON.stringify(value);
  const address = withoutQuery(value) as string;
  if (address === value || !new URL(value).search) return value;
  const names = [...new URL(value).searchParams].flatMap(([name, content]) => (content ? [name] : []));
  return `${address} (with ${names.join(', ') || 'a query'})`;
}

const secretEntries = (secrets: SecretChanges) =>
  Object.entries(secrets).map(
    ([name, value]) => [`Credential ${name}`, null, value === null ? 'Cleared' : 'Set'] as const,
  );

export const slugInUse = (slug: string) =>
  slugTaken(`The tool prefix "${slug}" is already in use.`, {
    errors: [{ pointer: '/slug', detail: 'is already in use' }],
  });

export function requireRevision({ revision: current }: Connection, revision: number): void {
  if (current !== revision)
    throw connectionChanged(`The connection is at revision ${current}; the change is based on revision ${revision}.`);
}
