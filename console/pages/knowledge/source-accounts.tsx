import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { MemberSelect } from '../../features/members/member-select.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { NotFoundPage } from '../../kit/not-found.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { visible } from '../../kit/visible.ts';

const sourceQuery = graphql(`
  query SourceOfAccounts($id: ID!) {
    knowledgeSource(connectionId: $id) {
      connectionId
      connection {
        id
        name
      }
    }
  }
`);
const query = graphql(`
  query SourceAccounts($connectionId: ID!, $isMatched: Boolean, $first: Int!, $after: String) {
    sourceAccounts(connectionId: $connectionId, isMatched: $isMatched, first: $first, after: $after) {
      nodes {
        id
        externalId
        name
        email
        match
        memberId
        memberName
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
const assign = graphql(`
  mutation AssignSourceAccount($input: AssignSourceAccountInput!) {
    assignSourceAccount(input: $input) {
      id
    }
  }
`);
const reset = graphql(`
  mutation ResetSourceAccount($input: ResetSourceAccountInput!) {
    resetSourceAccount(input: $input) {
      id
    }
  }
`);

type Account = ResultOf<typeof query>['sourceAccounts']['nodes'][number];

const matchNames = {
  email: 'Verified address',
  assigned: 'Assigned',
  nobody: 'No member (assigned)',
  unverified: 'Address not verified',
  ambiguous: 'Several members',
  none: 'No member',
};

/** The accounts of a source, and the members that they belong to. */
export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useQuery({ query: sourceQuery, variables: { id } });
  const source = result.data?.knowledgeSource;
  if (result.data && !source) return <NotFoundPage />;
  return (
    <Page
      title="Accounts"
      trail={[
        ['Knowledge', '/knowledge'],
        [source ? visible(source.connection.name) : 'Source', `/knowledge/${id}`],
      ]}
      lead="Accounts are matched to members by verified email address. Assign the remaining accounts here."
    >
      <Loaded result={result} refetch={refetch}>
        {() => <Accounts connectionId={id} />}
      </Loaded>
    </Page>
  );
}

function Accounts({ connectionId }: { connectionId: string }) {
  const [show, setShow] = useFilter('show');
  const [editing, setEditing] = useState<Account | null>(null);
  const pages = usePages({
    query,
    variables: { connectionId, isMatched: show === 'matched' ? true : show === 'unmatched' ? false : null },
    pick: ({ sourceAccounts }) => sourceAccounts,
    news: 'source',
  });
  const columns: Column<Account>[] = [
    { label: 'Account', cell: ({ name }) => <Untrusted text={name} />, width: '24%' },
    { label: 'Source ID', cell: ({ externalId }) => <Untrusted text={externalId} />, isMinor: true },
    { label: 'Email', cell: ({ email }) => email && <Untrusted text={email} /> },
    { label: 'Member', cell: ({ memberName }) => memberName && <Untrusted text={memberName} /> },
    { label: 'Match', cell: ({ match }) => matchNames[match], width: '11rem' },
    {
      label: 'Action',
      cell: (account) => (
        <Button
          size="xs"
          variant="default"
          aria-label={`Assign account ${visible(account.name)}`}
          onClick={() => setEditing(account)}
        >
          Assign
        </Button>
      ),
      width: '7rem',
    },
  ];
  return (
    <>
      <Select
        label="Show"
        mb="md"
        maw="16rem"
        value={show ?? 'all'}
        onChange={(value) => setShow(value === 'all' ? null : value)}
        data={[
          { value: 'all', label: 'All accounts' },
          { value: 'unmatched', label: 'Unmatched' },
          { value: 'matched', label: 'Matched or assigned' },
        ]}
        allowDeselect={false}
      />
      <Rows
        label="Accounts"
        pages={pages}
        columns={columns}
        keyOf={(account) => account.id}
        empty={
          <Empty icon={IconUsers} title="No accounts">
            Accounts appear after the permissions of the source are read.
          </Empty>
        }
      />
      {editing && (
        <Assignment
          key={editing.id}
          account={editing}
          connectionId={connectionId}
          close={() => setEditing(null)}
          onChanged={() => {
            setEditing(null);
            pages.refetch();
          }}
        />
      )}
    </>
  );
}

interface AssignmentProps {
  account: Account;
  connectionId: string;
  close(): void;
  onChanged(): void;
}

function Assignment({ account, connectionId, close, onChanged }: AssignmentProps) {
  const [memberId, setMemberId] = useState(account.match === 'unverified' ? account.memberId : null);
  const assigning = useChange(assign, { done: 'Account assigned.', onDone: onChanged });
  const resetting = useChange(reset, {
    done: 'Assignment removed. The email address decides again.',
    onDone: onChanged,
  });
  const input = { connectionId, accountId: account.id };
  const isDecided = account.match === 'assigned' || account.match === 'nobody';
  return (
    <Modal opened onClose={close} title="Assign account">
      <Stack>
        {(assigning.problem ?? resetting.problem) && (
          <ProblemNote problem={(assigning.problem ?? resetting.problem)!} />
        )}
        <Text size="sm">
          The member finds everything that <Untrusted text={account.name} /> may read in the source. The audit log
          records it.
        </Text>
        <MemberSelect label="Member" value={memberId} onChange={setMemberId} />
        <Group justify="flex-end">
          {isDecided && (
            <Button variant="default" loading={resetting.isSending} onClick={() => void resetting.send({ input })}>
              Remove assignment
            </Button>
          )}
          <Button
            variant="default"
            loading={assigning.isSending}
            onClick={() => void assigning.send({ input: { ...input, memberId: null } })}
          >
            Assign to no member
          </Button>
          <Button
            disabled={!memberId}
            loading={assigning.isSending}
            onClick={() => void assigning.send({ input: { ...input, memberId } })}
          >
            Assign account
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
