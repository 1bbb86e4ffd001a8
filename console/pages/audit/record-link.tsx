import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useMay } from '../../kit/me.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useNames } from './use-names.ts';

type RecordPage = readonly [path: (id: string) => string, permission: string];

/** The page of each type of record, and the permission that opens it. */
const recordPages: Record<string, RecordPage> = {
  task: [(id) => `/tasks/${id}`, 'tasks:read'],
  call: [(id) => `/calls/${id}`, 'tasks:read'],
  approval: [(id) => `/approvals/${id}`, 'approvals:decide'],
  member: [(id) => `/organization/members/${id}`, 'members:manage'],
  group: [(id) => `/organization/groups/${id}`, 'members:manage'],
  client: [(id) => `/organization/developer-access/${id}`, 'organization:manage'],
  sign_in_provider: [(id) => `/organization/sign-in/${id}`, 'organization:manage'],
  tenant: [() => '/organization/settings', 'organization:manage'],
  connection: [(id) => `/integrations/${id}`, 'connections:manage'],
  configuration: [(id) => `/agents/capabilities/configurations/${id}`, 'configurations:manage'],
  estate_source: [(id) => `/estate/sources/${id}`, 'estate:read'],
  estate_finding: [(id) => `/estate/findings/${id}`, 'estate:read'],
  spend_person: [(id) => `/spend/directory/${id}`, 'spend:manage'],
};

interface Props {
  type: string;
  id: string;
  /** Without a known name, the id is shown. */
  name?: string;
  /** The record has no page, for example because it was removed. */
  hasNoPage?: boolean;
  /** The link stands alone, outside of a sentence, so it has a full-size touch target. */
  isAlone?: boolean;
}

/** A record that an event refers to, with a link to its page. */
export function RecordLink({ type, id, name, hasNoPage = false, isAlone = false }: Props) {
  const may = useMay();
  const names = useNames();
  const known = name ?? names.get(id);
  const shown = known ? (
    <Untrusted text={known} />
  ) : (
    <Text span inherit ff="monospace">
      <Untrusted text={id} />
    </Text>
  );
  const [path, permission] = recordPages[type] ?? [];
  if (hasNoPage || !path || !permission || !may(permission)) return shown;
  return (
    <Anchor component={Link} to={path(id)} {...(isAlone ? { size: 'sm' } : { inherit: true })} underline="always">
      {shown}
    </Anchor>
  );
}

/** "taskId", "groupIds", "responsibleMemberId": the type of record that a fact is the id of, or null. */
export const typeOfIdField = (name: string): string | null =>
  /(task|call|approval|member|group|client|connection|configuration)Ids?$/i.exec(name)?.[1].toLowerCase() ?? null;
