import { Alert, Badge, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconArrowBackUp, IconUserCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { SearchFilter } from '../../kit/filters.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { PersonSelect } from './person-select.tsx';

const identitiesQuery = graphql(`
  query SpendIdentities($state: SpendIdentityState, $search: String, $first: Int!, $after: String) {
    spendIdentities(state: $state, search: $search, first: $first, after: $after) {
      nodes {
        id
        kind
        key
        name
        firstSeen
        hasSeat
        matchedBy
        person {
          id
          name
        }
        suggestions {
          reason
          person {
            id
            name
            email
          }
        }
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
const matchIdentities = graphql(`
  mutation MatchSpendIdentities($input: MatchSpendIdentitiesInput!) {
    matchSpendIdentities(input: $input) {
      id
    }
  }
`);
const unmatchIdentities = graphql(`
  mutation UnmatchSpendIdentities($input: SpendIdentitiesInput!) {
    unmatchSpendIdentities(input: $input) {
      id
    }
  }
`);
const ignoreIdentities = graphql(`
  mutation IgnoreSpendIdentities($input: SpendIdentitiesInput!) {
    ignoreSpendIdentities(input: $input) {
      id
    }
  }
`);
const reopenIdentities = graphql(`
  mutation ReopenSpendIdentities($input: SpendIdentitiesInput!) {
    reopenSpendIdentities(input: $input) {
      id
    }
  }
`);

type Identity = ResultOf<typeof identitiesQuery>['spendIdentities']['nodes'][number];

const states = [
  { value: 'unmatched', label: 'Unmatched' },
  { value: 'matched', label: 'Matched' },
  { value: 'ignored', label: 'Ignored' },
] as const;
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

/** The last action, and the mutation that undoes it. */
interface LastAction {
  identity: Identity;
  message: string;
  undoBy: 'unmatch' | 'reopen';
}

/** The identities of vendors, and the people that they are matched to. */
export function Component() {
  const [chosen, choose] = useFilter('state');
  const [search] = useFilter('search');
  const state = states.find(({ value }) => value === chosen)?.value ?? 'unmatched';
  const pages = usePages({
    query: identitiesQuery,
    variables: { state, search },
    pick: ({ spendIdentities }) => spendIdentities,
    news: 'spend',
  });
  const { lastAction, problem, act, undo } = useActions(pages.again);
  return (
    <>
      <Group mb="md" gap="xs">
        <SegmentedControl
          aria-label="Status"
          data={[...states]}
          value={state}
          onChange={(value) => choose(value === 'unmatched' ? null : value)}
        />
        <SearchFilter name="search" label="Search by name or email" />
      </Group>
      <div aria-live="polite">
        {lastAction && (
          <Alert variant="light" mb="md" icon={<IconUserCheck aria-hidden />}>
            <Group justify="space-between">
              <Text size="sm">{lastAction.message}</Text>
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconArrowBackUp size={14} aria-hidden />}
                onClick={undo}
              >
                Undo
              </Button>
            </Group>
          </Alert>
        )}
      </div>
      {problem && <ProblemNote problem={problem} />}
      <Rows
        label="Identities"
        pages={pages}
        keyOf={({ id }) => String(id)}
        columns={[
          identityColumn,
          firstSeenColumn,
          ...(state === 'unmatched' ? [matchColumn(act)] : [resultColumn(state), actionsColumn(state, act)]),
        ]}
        empty={
          <Empty icon={IconUserCheck} title={search ? 'No matching identities' : emptyTitles[state]}>
            {state === 'unmatched' && !search && 'All vendor identities are matched. New identities appear here.'}
          </Empty>
        }
      />
    </>
  );
}

const emptyTitles = {
  unmatched: 'No unmatched identities',
  matched: 'No matched identities yet',
  ignored: 'No ignored identities',
};

interface Actions {
  match(identity: Identity, person: { id: string; name: string }): void;
  ignore(identity: Identity): void;
  unmatch(identity: Identity): void;
  reopen(identity: Identity): void;
}

function useActions(again: () => void) {
  const [lastAction, setLastAction] = useState<LastAction | null>(null);
  const match = useChange(matchIdentities, { onDone: again });
  const unmatch = useChange(unmatchIdentities, { onDone: again });
  const ignore = useChange(ignoreIdentities, { onDone: again });
  const reopen = useChange(reopenIdentities, { onDone: again });
  const of = ({ id }: Identity) => ({ input: { identityIds: [id] } });
  const act: Actions = {
    match: async (identity, person) => {
      const matches = [{ identityId: identity.id, personId: person.id }];
      if (await match.send({ input: { matches } }))
        setLastAction({
          identity,
          message: `${displayName(identity)} is now matched to ${visible(person.name)}.`,
          undoBy: 'unmatch',
        });
    },
    ignore: async (identity) => {
      if (await ignore.send(of(identity)))
        setLastAction({ identity, message: `${displayName(identity)} is now ignored.`, undoBy: 'reopen' });
    },
    unmatch: async (identity) => {
      if (await unmatch.send(of(identity)))
        setLastAction({ identity, message: `${displayName(identity)} is now unmatched.`, undoBy: 'reopen' });
    },
    reopen: async (identity) => {
      setLastAction(null);
      await reopen.send(of(identity));
    },
  };
  const undo = async () => {
    const reverse = lastAction?.undoBy === 'unmatch' ? unmatch : reopen;
    if (lastAction && (await reverse.send(of(lastAction.identity)))) setLastAction(null);
  };
  const problem = match.problem ?? unmatch.problem ?? ignore.problem ?? reopen.problem;
  return { lastAction, problem, act, undo: () => void undo() };
}

const displayName = ({ name, key }: Identity) => visible(name ?? key);

const identityColumn: Column<Identity> = {
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

const firstSeenColumn: Column<Identity> = {
  label: 'First seen',
  isMinor: true,
  cell: ({ firstSeen }) => <When at={firstSeen} />,
};

const matchColumn = (act: Actions): Column<Identity> => ({
  label: 'Suggested matches',
  width: '50%',
  cell: (identity) => <MatchCandidates identity={identity} act={act} />,
});

function MatchCandidates({ identity, act }: { identity: Identity; act: Actions }) {
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

const resultColumn = (state: 'matched' | 'ignored'): Column<Identity> => ({
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

const actionsColumn = (state: 'matched' | 'ignored', act: Actions): Column<Identity> => ({
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
