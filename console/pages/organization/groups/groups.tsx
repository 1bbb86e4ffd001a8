import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUsersGroup } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { Empty } from '../../../kit/empty.tsx';
import { Page } from '../../../kit/page.tsx';
import { type Column, Rows } from '../../../kit/rows.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { usePages } from '../../../kit/use-pages.ts';
import { When } from '../../../kit/when.tsx';
import { NameForm } from '../rename.tsx';

const query = graphql(`
  query Groups($first: Int!, $after: String) {
    groups(first: $first, after: $after) {
      nodes {
        id
        name
        memberCount
        createdAt
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
type Node = ResultOf<typeof query>['groups']['nodes'][number];

const createGroup = graphql(`
  mutation CreateGroup($input: CreateGroupInput!) {
    createGroup(input: $input) {
      id
    }
  }
`);

const columns: Column<Node>[] = [
  { label: 'Name', width: '50%', cell: ({ name }) => <Untrusted text={name} /> },
  { label: 'Members', isFigure: true, cell: ({ memberCount }) => memberCount },
  { label: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
];

export function Component() {
  const navigate = useNavigate();
  const [isCreating, creating] = useDisclosure();
  const pages = usePages({ query, variables: {}, pick: ({ groups }) => groups, news: 'organization' });
  const create = useChange(createGroup, {
    onDone: ({ createGroup: { id } }) => void navigate(`/organization/groups/${id}`),
  });
  const button = <Button onClick={creating.open}>Create group</Button>;
  return (
    <Page
      title="Groups"
      lead="Groups control which configurations members can use, what agents can read for them, and which approvals they can decide."
      actions={pages.totalCount > 0 && button}
    >
      <Modal opened={isCreating} onClose={creating.close} title="Create group">
        {isCreating && (
          <NameForm
            name=""
            verb="Create group"
            change={create}
            onClose={creating.close}
            onSave={(name) => create.send({ input: { name } })}
          />
        )}
      </Modal>
      <Rows
        label="Groups"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        to={({ id }) => `/organization/groups/${id}`}
        empty={
          <Empty icon={IconUsersGroup} title="No groups yet" action={button}>
            Members use configurations through their groups. Create a group for the people who need access.
          </Empty>
        }
      />
    </Page>
  );
}
