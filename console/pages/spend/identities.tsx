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
  { value: 'unmatched', label: 'Nobody’s yet' },
  { value: 'matched', label: 'Matched' },
  { value: 'ignored', label: 'Ignored' },
] as const;
const reasons: Record<Identity['suggestions'][number]['reason'], string> = {
  plus_tag: 'the same address but for a plus-tag',
  same_mailbox: 'the same mailbox elsewhere',
  same_name: 'the same name',
  name_in_mailbox: 'the address is made from the name',
  similar_name: 'nearly the same name',
};
const rules: Record<NonNullable<Identity['matchedBy']>, string> = {
  email: 'by their address',
  alias: 'by another name of theirs',
  vendor_id: 'by the vendor’s number',
  person: 'by an administrator',
};

/** What was done last, and what takes it back. */
interface Done {
  identity: Identity;
  said: string;
  back: 'unmatch' | 'reopen';
}

/** Whom vendors name, and whose each of them is. */
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
  const { done, problem, act, undo } = useActions(pages.again);
  return (
    <>
      <Group mb="md" gap="xs">
        <SegmentedControl
          aria-label="Which identities"
          data={[...states]}
          value={state}
          onChange={(value) => choose(value === 'unmatched' ? null : value)}
        />
        <SearchFilter name="search" label="A part of the name or address" />
      </Group>
      <div aria-live="polite">
        {done && (
          <Alert variant="light" mb="md" icon={<IconUserCheck aria-hidden />}>
            <Group justify="space-between">
              <Text size="sm">{done.said}</Text>
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
        columns={[who, ...(state === 'unmatched' ? [seen, whose(act)] : [seen, settled(state), back(state, act)])]}
        empty={
          <Empty icon={IconUserCheck} title={search ? 'Nobody of that name' : emptyTitles[state]}>
            {state === 'unmatched' && !search && 'Everybody whom vendors name is known. New ones show up here.'}
          </Empty>
        }
      />
    </>
  );
}

const emptyTitles = {
  unmatched: 'Nobody is left to be matched',
  matched: 'Nobody is matched yet',
  ignored: 'Nobody is ignored',
};

interface Actions {
  match(identity: Identity, person: { id: string; name: string }): void;
  ignore(identity: Identity): void;
  unmatch(identity: Identity): void;
  reopen(identity: Identity): void;
}

function useActions(again: () => void) {
  const [done, setDone] = useState<Done | null>(null);
  const match = useChange(matchIdentities, { onDone: again });
  const unmatch = useChange(unmatchIdentities, { onDone: again });
  const ignore = useChange(ignoreIdentities, { onDone: again });
  const reopen = useChange(reopenIdentities, { onDone: again });
  const of = ({ id }: Identity) => ({ input: { identityIds: [id] } });
  const act: Actions = {
    match: async (identity, person) => {
      const matches = [{ identityId: identity.id, personId: person.id }];
      if (await match.send({ input: { matches } }))
        setDone({ identity, said: `${called(identity)} is ${visible(person.name)} from now on.`, back: 'unmatch' });
    },
    ignore: async (identity) => {
      if (await ignore.send(of(identity)))
        setDone({ identity, said: `${called(identity)} is nobody’s, and not asked about any more.`, back: 'reopen' });
    },
    unmatch: async (identity) => {
      if (await unmatch.send(of(identity)))
        setDone({ identity, said: `${called(identity)} is nobody’s again.`, back: 'reopen' });
    },
    reopen: async (identity) => {
      setDone(null);
      await reopen.send(of(identity));
    },
  };
  const undo = async () => {
    const takeBack = done?.back === 'unmatch' ? unmatch : reopen;
    if (done && (await takeBack.send(of(done.identity)))) setDone(null);
  };
  const problem = match.problem ?? unmatch.problem ?? ignore.problem ?? reopen.problem;
  return { done, problem, act, undo: () => void undo() };
}

const called = ({ name, key }: Identity) => visible(name ?? key);

const who: Column<Identity> = {
  label: 'As the vendor says',
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
        {hasSeat && <Badge color="blue">has a seat</Badge>}
      </Group>
    </Stack>
  ),
};

const seen: Column<Identity> = {
  label: 'First seen',
  isMinor: true,
  cell: ({ firstSeen }) => <When at={firstSeen} />,
};

const whose = (act: Actions): Column<Identity> => ({
  label: 'Who it may be',
  width: '50%',
  cell: (identity) => <Whose identity={identity} act={act} />,
});

function Whose({ identity, act }: { identity: Identity; act: Actions }) {
  const [personId, setPersonId] = useState<string | null>(null);
  const { suggestions, kind } = identity;
  if (kind === 'unattributed')
    return (
      <Text size="sm" c="dimmed">
        The vendor does not say whose this was; it counts in the totals.
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
            aria-label={`Match ${called(identity)} to ${visible(person.name)}`}
            onClick={() => act.match(identity, person)}
          >
            Match
          </Button>
        </Group>
      ))}
      <Group gap="xs" align="flex-end">
        <div style={{ flex: '1 1 12rem' }}>
          <PersonSelect
            label={`Somebody else for ${called(identity)}`}
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
          aria-label={`Ignore ${called(identity)}`}
          onClick={() => act.ignore(identity)}
        >
          Ignore
        </Button>
      </Group>
    </Stack>
  );
}

const settled = (state: 'matched' | 'ignored'): Column<Identity> => ({
  label: state === 'matched' ? 'Whose' : 'Why',
  cell: ({ person, matchedBy }) =>
    person ? (
      <>
        <Untrusted text={person.name} />
        <Text size="xs" c="dimmed">
          {matchedBy && rules[matchedBy]}
        </Text>
      </>
    ) : (
      'An administrator said so'
    ),
});

const back = (state: 'matched' | 'ignored', act: Actions): Column<Identity> => ({
  label: 'Actions',
  width: '1%',
  cell: (identity) => (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`${state === 'matched' ? 'Take away' : 'Ask again about'} ${called(identity)}`}
      onClick={() => (state === 'matched' ? act.unmatch(identity) : act.reopen(identity))}
    >
      {state === 'matched' ? 'Take away' : 'Ask again'}
    </Button>
  ),
});
