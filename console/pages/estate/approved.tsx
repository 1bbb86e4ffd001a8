import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconChecklist, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useMay } from '../../kit/me.tsx';
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
import { AddApproval, kindNames } from './approve.tsx';

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
  mutation WithdrawEstateApproval($input: RevokeEstateApprovalInput!) {
    revokeEstateApproval(input: $input)
  }
`);
type Approved = ResultOf<typeof approvedQuery>['estateApprovals']['nodes'][number];

/** The servers that assistants may use; all others are findings. */
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
      Add approval
    </Button>
  );
  const actions: Column<Approved>[] = may('estate:manage')
    ? [
        {
          label: 'Actions',
          width: '1%',
          cell: (approval) => (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Withdraw ${visible(approval.value)}`}
              onClick={() => setWithdrawn(approval)}
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
          <Empty icon={IconChecklist} title="No approvals yet" action={add}>
            Approve the packages, hosts, or definitions that assistants may use, here or on the page of a server. While
            the list is empty, unapproved servers are findings of low severity.
          </Empty>
        }
      />
      {isAdding && <AddApproval onClose={() => setAdding(false)} onDone={pages.refetch} />}
      {withdrawn && <WithdrawApproval approval={withdrawn} onClose={() => setWithdrawn(null)} onDone={pages.refetch} />}
    </>
  );
}

const columns: readonly Column<Approved>[] = [
  {
    label: 'Approved',
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
  { label: 'Purpose', cell: ({ note }) => <Untrusted text={note ?? '–'} /> },
  { label: 'Entries', isFigure: true, cell: ({ entries }) => count(entries) },
  {
    label: 'Approved at',
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

function WithdrawApproval({ approval, onClose, onDone }: { approval: Approved; onClose(): void; onDone(): void }) {
  const { send, problem, isSending } = useChange(withdrawApproval, {
    done: 'Approval withdrawn. Rechecking findings.',
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title="Withdraw approval?"
      verb="Withdraw approval"
      problem={problem}
      isSending={isSending}
      onConfirm={() => void send({ input: { id: approval.id } })}
    >
      <Text size="sm">
        <Untrusted text={approval.serverName ?? approval.value} />:{' '}
        {approval.entries === 1
          ? '1 approved entry becomes a finding'
          : `${approval.entries} approved entries become findings`}
        . Running servers are not stopped.
      </Text>
    </Confirm>
  );
}
