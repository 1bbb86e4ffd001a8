import type { OutboxRow } from '../../platform/events/outbox.service.js';
import type { AuditEventRef } from '../../audit/audit-tail.service.js';
import type { Permission } from '../../principal/permissions.js';
import type { Principal } from '../../principal/principal.js';
import type { ConsoleEventKind } from './console-event-kinds.js';

/** An object of this kind has changed; id null: unknown which. */
export interface ConsoleEvent {
  kind: ConsoleEventKind;
  id: string | null;
  /** The owner. */
  memberId?: string;
}

/** A member with one of these permissions receives events of the kind; if the list is empty, every member does. */
const readPermissions: Record<ConsoleEventKind, readonly Permission[]> = {
  approval: ['approvals:decide'],
  task: ['tasks:read'],
  call: ['tasks:read'],
  connection: ['connections:manage'],
  configuration: ['policies:read', 'configurations:manage'],
  policy: ['policies:read'],
  source: ['knowledge:manage'],
  spend: ['spend:read'],
  estate: ['estate:read'],
  client: ['organization:manage'],
  organization: [],
};
/** Every member receives changes of the organization; members with one of these permissions also get the id. */
const organizationManagers: readonly Permission[] = ['organization:manage', 'members:manage', 'keys:manage'];

const holdsAny = (permissions: ReadonlySet<Permission>, wanted: readonly Permission[]) =>
  wanted.some((permission) => permissions.has(permission));

/** The event as this principal may see it; null: not at all. */
export function eventVisibleTo(
  { permissions, memberId }: Principal,
  { kind, id, memberId: ownerId }: ConsoleEvent,
): ConsoleEvent | null {
  if (kind === 'organization') return { kind, id: holdsAny(permissions, organizationManagers) ? id : null };
  const isOwn = ownerId !== undefined && ownerId === memberId;
  return isOwn || holdsAny(permissions, readPermissions[kind]) ? { kind, id } : null;
}

/** Maps the noun of an audit kind to a console kind. Nouns that are missing change nothing that the console shows. */
const kindByNoun: Record<string, ConsoleEventKind> = {
  approval: 'approval',
  'task-grant': 'approval',
  task: 'task',
  call: 'call',
  connection: 'connection',
  account: 'connection',
  tool: 'connection',
  configuration: 'configuration',
  agent: 'configuration',
  a2a_key: 'configuration',
  policy: 'policy',
  'approval-step': 'policy',
  'permit-proposal': 'policy',
  substitution: 'organization',
  source: 'source',
  document: 'source',
  spend: 'spend',
  estate: 'estate',
  client: 'client',
  consent: 'client',
  device: 'client',
  grant: 'client',
  tenant: 'organization',
  change: 'organization',
  two_person: 'organization',
  break_glass: 'organization',
  member: 'organization',
  group: 'organization',
  link: 'organization',
  tenant_key: 'organization',
  admin_token: 'organization',
  sign_in_provider: 'organization',
  identity: 'organization',
  passkey: 'organization',
  password: 'organization',
};

/** Audit kinds of reads. Publishing them would make the console reload, which records them again. */
const readOnlyRecords = new Set([
  'a2a_key.revealed',
  'approval.viewed',
  'spend.exported',
  'spend.people_read',
  'spend_list.exported',
  'estate.exported',
]);

/** The subject type whose id the event carries. For other subjects the event has no id. */
const subjectOf: Partial<Record<ConsoleEventKind, string>> = {
  approval: 'approval',
  task: 'task',
  call: 'call',
  connection: 'connection',
  configuration: 'configuration',
  policy: 'configuration',
  source: 'connection',
  client: 'client',
};

/** "spend_person.merged" and "spend.refreshed" both have the noun "spend". */
const nounOf = (kind: string): string => /^(spend|estate)[_.]/.exec(kind)?.[1] ?? kind.slice(0, kind.indexOf('.'));

export function eventsOfAuditRecord({ kind, subjectType, subjectId, taskId }: AuditEventRef): ConsoleEvent[] {
  const about = kindByNoun[nounOf(kind)];
  if (!about || readOnlyRecords.has(kind)) return [];
  const isNamed = about === 'organization' || subjectType === subjectOf[about];
  const news: ConsoleEvent[] = [{ kind: about, id: isNamed ? subjectId : null }];
  return taskId && about !== 'task' ? [...news, { kind: 'task', id: taskId }] : news;
}

const outboxEvents: Record<string, (payload: OutboxRow['payload']) => ConsoleEvent> = {
  'task.state_changed': ({ taskId }) => ({ kind: 'task', id: String(taskId) }),
  'connection.state_changed': ({ connectionId }) => ({ kind: 'connection', id: String(connectionId) }),
  'spend.refreshed': () => ({ kind: 'spend', id: null }),
  'estate.finding': () => ({ kind: 'estate', id: null }),
};

/** Outbox kinds that also write an audit record are missing here: the record publishes them. */
export const eventsOfOutboxRow = ({ kind, payload }: OutboxRow): ConsoleEvent[] =>
  outboxEvents[kind] ? [outboxEvents[kind](payload)] : [];
