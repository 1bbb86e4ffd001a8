import { Badge, Code, Group, List, Stack, Text } from '@mantine/core';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { transportNames } from './labels.ts';

export const entryFields = graphql(`
  fragment EntryFields on EstateEntry @_unmask {
    id
    kind
    name
    approvedBy
    transport
    command
    args
    url
    host
    package {
      manager
      name
      versionSpec
      isPinned
    }
    definition
    definitionHash
    isDisabled
    serverId
    firstSeen
    changedAt
    oddities {
      kind
      place
      detail
    }
    secrets {
      type
      place
      fingerprint
    }
  }
`);
export type EntryNode = ResultOf<typeof entryFields>;

/** "npm:@scope/name", the notation of the approved list. */
export const packageName = ({ manager, name }: Pick<NonNullable<EntryNode['package']>, 'manager' | 'name'>): string =>
  `${manager}:${name}`;

/** The command line or URL. */
export const commandOrUrl = ({ command, args, url }: Pick<EntryNode, 'command' | 'args' | 'url'>): string =>
  url ?? [command, ...args].filter((part) => part !== null).join(' ');

/** A server as declared in one file, with secrets replaced. */
export const Definition = ({ entry }: { entry: EntryNode }) => (
  <Stack gap="xs">
    <Group gap="xs">
      <Badge color="gray">{transportNames[entry.transport]}</Badge>
      {entry.package && (
        <Badge color={entry.package.isPinned ? 'gray' : 'yellow'}>
          <Untrusted text={`${packageName(entry.package)} ${entry.package.versionSpec ?? 'no version'}`} />
        </Badge>
      )}
      {entry.isDisabled && <Badge color="gray">disabled in file</Badge>}
      <StateBadge state={entry.approvedBy ? 'approved' : 'not_approved'} />
    </Group>
    <Text size="xs" c="dimmed">
      Resource kind <Code>{entry.kind}</Code>
    </Text>
    <Code block tabIndex={0} aria-label="Definition" style={{ overflowX: 'auto' }}>
      <Untrusted text={JSON.stringify(entry.definition, null, 2)} />
    </Code>
    {entry.secrets.length > 0 && (
      <Notes title="Plaintext secrets (values are not stored)">
        {entry.secrets.map(({ type, place, fingerprint }) => (
          <List.Item key={place}>
            {type.replaceAll('_', ' ')} at <Untrusted text={place} />, fingerprint{' '}
            <Text span ff="monospace" inherit>
              {fingerprint.slice(0, 12)}
            </Text>
          </List.Item>
        ))}
      </Notes>
    )}
    {entry.oddities.length > 0 && (
      <Notes title="Anomalies">
        {entry.oddities.map(({ kind, place, detail }) => (
          <List.Item key={kind + place}>
            {kind.replaceAll('_', ' ')} at <Untrusted text={place || 'whole entry'} />: <Untrusted text={detail} />
          </List.Item>
        ))}
      </Notes>
    )}
  </Stack>
);

const Notes = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <div>
    <Text size="sm" fw={550}>
      {title}
    </Text>
    <List size="sm">{children}</List>
  </div>
);
