import { Alert, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { IconArrowBackUp, IconUserCheck } from '@tabler/icons-react';
import { Empty } from '../../kit/empty.tsx';
import { SearchFilter } from '../../kit/filters.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Rows } from '../../kit/rows.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { actionsColumn, firstSeenColumn, identityColumn, matchColumn, resultColumn } from './identity-columns.tsx';
import { identitiesQuery } from './identity-query.ts';
import { useIdentityActions } from './use-identity-actions.ts';

const states = [
  { value: 'unmatched', label: 'Unmatched' },
  { value: 'matched', label: 'Matched' },
  { value: 'ignored', label: 'Ignored' },
] as const;

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
  const { lastAction, problem, act, undo } = useIdentityActions(pages.refetch);
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
