import { Stack, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Empty } from '../../kit/empty.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { type Pages, usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { type FindingFilter, type FindingNode, findingsQuery } from './finding-query.ts';
import { ruleNames } from './labels.ts';

interface Props {
  filter: FindingFilter;
  /** Shown instead of an empty list. */
  empty?: ReactNode;
}

/** Findings by severity, the highest first. */
export function FindingRows({ filter, empty = noFindings }: Props) {
  const pages = usePages({
    query: findingsQuery,
    variables: { state: 'open', ...filter } satisfies FindingFilter as FindingFilter,
    pick: ({ estateFindings }) => estateFindings,
    news: 'estate',
  });
  return <FindingTable pages={pages} empty={empty} />;
}

export const FindingTable = ({ pages, empty }: { pages: Pages<FindingNode>; empty: ReactNode }) => (
  <Rows
    label="Findings"
    pages={pages}
    keyOf={({ id }) => id}
    to={({ id }) => `/estate/findings/${id}`}
    columns={columns}
    empty={empty}
  />
);

const noFindings = (
  <Empty icon={IconShieldCheck} title="No findings">
    No finding matches these filters.
  </Empty>
);

const columns: readonly Column<FindingNode>[] = [
  {
    label: 'Finding',
    width: '56%',
    cell: ({ rule, reason }) => (
      <Stack gap={2} ta="start">
        <span>{ruleNames[rule]}</span>
        <Text size="xs" c="dimmed" fw={400} lineClamp={2}>
          <Untrusted text={reason} />
        </Text>
      </Stack>
    ),
  },
  { label: 'Severity', cell: ({ severity }) => <StateBadge state={severity} /> },
  {
    label: 'Location',
    cell: ({ path, serverName, source, owner }) => (
      <Stack gap={2}>
        {serverName && <Untrusted text={serverName} />}
        {path && (
          <Text size="xs" c="dimmed">
            <Untrusted text={path} />
          </Text>
        )}
        {source && (
          <Text size="xs" c="dimmed">
            <Untrusted text={[source.name, owner?.name].filter(Boolean).join(' · ')} />
          </Text>
        )}
        {!serverName && !path && '–'}
      </Stack>
    ),
  },
  { label: 'Last seen', isMinor: true, cell: ({ lastSeen }) => <When at={lastSeen} /> },
];
