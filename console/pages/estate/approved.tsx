import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconChecklist, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useMay } from '../../app/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty } from '../../kit/empty.tsx';
import { count } from '../../kit/figures.ts';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { ApproveAnything, kindNames } from './approve.tsx';

const approvedQuery = graphql(`
  query EstateApproved($first: Int!, $after: String) {
    estateApprovals(first: $first, after: $after) {
      nodes {
        id
        kind
        value
        serverId
        serverName
        note
        approvedByName
        approvedAt
        entries
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
const withdrawApproval = graphql(`
  mutation WithdrawEstateApproval($input: WithdrawEstateApprovalInput!) {
    withdrawEstateApproval(input: $input)
  }
`);
type Approved = ResultOf<typeof approvedQuery>['estateApprovals']['nodes'][number];

/** What assistants may use; anything else is a finding. */
export function Component() {
  const may = useMay();
  const [isAdding, setAdding] = useState(false);
  const [withdrawn, setWithdrawn] = useState<Approved | null>(null);
  const pages = usePages({
    query: approvedQuery,
    variables: {},
    pick: ({ estateApprovals }) => estateApprovals,
    news: 'estate',
  });
  const add = may('estate:manage') && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      Approve something
    </Button>
  );
  const actions: Column<Approved>[] = may('estate:manage')
    ? [
        {
          label: 'Actions',
          width: '1%',
          cell: (line) => (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Withdraw ${visible(line.value)}`}
              onClick={() => setWithdrawn(line)}
            >
              Withdraw
            </Button>
          ),
        },
      ]
    : [];
  return (
    <>
      {Boolean(pages.nodes?.length) && (
        <Group justify="flex-end" mb="md">
          {add}
        </Group>
      )}
      <Rows
        label="Approved list"
        pages={pages}
        keyOf={({ id }) => id}
        columns={[...columns, ...actions]}
        empty={
          <Empty icon={IconChecklist} title="Nothing is approved yet" action={add}>
            Approve the packages, hosts or single definitions that assistants may use: here, or at a server. As long as
            the list is empty, what is not on it is of low severity.
          </Empty>
        }
      />
      {isAdding && <ApproveAnything onClose={() => setAdding(false)} onDone={pages.again} />}
      {withdrawn && <Withdrawing line={withdrawn} onClose={() => setWithdrawn(null)} onDone={pages.again} />}
    </>
  );
}

const columns: readonly Column<Approved>[] = [
  {
    label: 'What',
    width: '40%',
    cell: ({ kind, value, serverId, serverName }) => (
      <Stack gap={2}>
        {serverId ? (
          <Anchor component={Link} to={`/estate/servers/${serverId}`} size="sm">
            <Untrusted text={serverName ?? value} />
          </Anchor>
        ) : (
          <Text span inherit fw={550}>
            <Untrusted text={kind === 'definition' ? `${value.slice(0, 16)}…` : value} />
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {kindNames[kind]}
        </Text>
      </Stack>
    ),
  },
  { label: 'Why', cell: ({ note }) => <Untrusted text={note ?? '–'} /> },
  { label: 'Entries', isFigure: true, cell: ({ entries }) => count(entries) },
  {
    label: 'Approved',
    cell: ({ approvedAt, approvedByName }) => (
      <Stack gap={2}>
        <When at={approvedAt} />
        {approvedByName && (
          <Text size="xs" c="dimmed">
            <Untrusted text={approvedByName} />
          </Text>
        )}
      </Stack>
    ),
  },
];

function Withdrawing({ line, onClose, onDone }: { line: Approved; onClose(): void; onDone(): void }) {
  const { send, problem, isSending } = useChange(withdrawApproval, {
    done: 'It is off the list.',
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title="Withdraw this approval?"
      verb="Withdraw"
      problem={problem}
      isSending={isSending}
      onConfirm={() => void send({ input: { id: line.id } })}
    >
      <Text size="sm">
        <Untrusted text={line.serverName ?? line.value} />: {line.entries === 1 ? '1 entry' : `${line.entries} entries`}{' '}
        that it allows will be findings. Nothing is stopped on any device.
      </Text>
    </Confirm>
  );
}
