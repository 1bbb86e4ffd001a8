import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Column } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import type { Identity } from './identity-query.ts';
import { type IdentityActions, displayName } from './use-identity-actions.ts';
import { PersonSelect } from './person-select.tsx';

const reasons: Record<Identity['suggestions'][number]['reason'], string> = {
  plus_tag: 'Same address except for plus tag',
  same_mailbox: 'Same mailbox name, other domain',
  same_name: 'Same name',
  name_in_mailbox: 'Address derived from name',
  similar_name: 'Similar name',
};

const rules: Record<NonNullable<Identity['matchedBy']>, string> = {
  email: 'By email address',
  alias: 'By alias',
  vendor_id: 'By vendor ID',
  person: 'By an administrator',
};

export const identityColumn: Column<Identity> = {
  label: 'Vendor identity',
  width: '30%',
  cell: ({ name, key, kind, hasSeat }) => (
    <Stack gap={2}>
      <Text span inherit fw={550}>
        <Untrusted text={name ?? key} />
      </Text>
      {name && (
        <Text size="xs" c="dimmed">
          <Untrusted text={key} />
        </Text>
      )}
      <Group gap={4}>
        {kind !== 'email' && <Badge color="gray">{kind.replaceAll('_', ' ')}</Badge>}
        {hasSeat && <Badge color="blue">Has a seat</Badge>}
      </Group>
    </Stack>
  ),
};

export const firstSeenColumn: Column<Identity> = {
  label: 'First seen',
  isMinor: true,
  cell: ({ firstSeen }) => <When at={firstSeen} />,
};

export const matchColumn = (act: IdentityActions): Column<Identity> => ({
  label: 'Suggested matches',
  width: '50%',
  isWide: true,
  cell: (identity) => <MatchCandidates identity={identity} act={act} />,
});

function MatchCandidates({ identity, act }: { identity: Identity; act: IdentityActions }) {
  const [personId, setPersonId] = useState<string | null>(null);
  const { suggestions, kind } = identity;
  if (kind === 'unattributed')
    return (
      <Text size="sm" c="dimmed">
        The vendor does not attribute this usage to a person. It is included in totals.
      </Text>
    );
  return (
    <Stack gap="xs" align="stretch" w="100%">
      {suggestions.map(({ person, reason }) => (
        <Group key={person.id} gap="xs" wrap="nowrap" justify="space-between">
          <Text size="sm" ta="start">
            <Untrusted text={person.name} />
            <Text span size="xs" c="dimmed">
              {' '}
              {reasons[reason]}
            </Text>
          </Text>
          <Button
            size="compact-sm"
            variant="light"
            flex="none"
            aria-label={`Match ${displayName(identity)} to ${visible(person.name)}`}
            onClick={() => act.match(identity, person)}
          >
            Match
          </Button>
        </Group>
      ))}
      <Group gap="xs" align="flex-end">
        <div style={{ flex: '1 1 12rem' }}>
          <PersonSelect
            label={`Match another person to ${displayName(identity)}`}
            isLabelHidden
            value={personId}
            onChange={(id, name) => {
              setPersonId(id);
              if (id) act.match(identity, { id, name });
            }}
          />
        </div>
        <Button
          size="sm"
          variant="default"
          aria-label={`Ignore ${displayName(identity)}`}
          onClick={() => act.ignore(identity)}
        >
          Ignore
        </Button>
      </Group>
    </Stack>
  );
}

export const resultColumn = (state: 'matched' | 'ignored'): Column<Identity> => ({
  label: state === 'matched' ? 'Person' : 'Reason',
  cell: ({ person, matchedBy }) =>
    person ? (
      <>
        <Untrusted text={person.name} />
        <Text size="xs" c="dimmed">
          {matchedBy && rules[matchedBy]}
        </Text>
      </>
    ) : (
      'Ignored by an administrator'
    ),
});

export const actionsColumn = (state: 'matched' | 'ignored', act: IdentityActions): Column<Identity> => ({
  label: 'Actions',
  width: '1%',
  cell: (identity) => (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`${state === 'matched' ? 'Unmatch' : 'Restore'} ${displayName(identity)}`}
      onClick={() => (state === 'matched' ? act.unmatch(identity) : act.reopen(identity))}
    >
      {state === 'matched' ? 'Unmatch' : 'Restore'}
    </Button>
  ),
});
