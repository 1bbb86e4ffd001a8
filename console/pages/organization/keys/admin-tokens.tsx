import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconTerminal2 } from '@tabler/icons-react';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { Empty } from '../../../kit/empty.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { type Column, Rows } from '../../../kit/rows.tsx';
import { faultOf, useChange } from '../../../kit/use-change.tsx';
import { usePages } from '../../../kit/use-pages.ts';
import { useNow, When } from '../../../kit/when.tsx';
import { MemberName } from '../member-name.tsx';
import { daysFromNow, lifetimes } from './lifetimes.ts';
import { NamedCredential } from './named-credential.tsx';
import { NewSecret } from './new-secret.tsx';
import { Revoke } from './revoke.tsx';
import { isInactive, CredentialStatus } from './credential-status.tsx';

const query = graphql(`
  query AdminTokens($first: Int!, $after: String) {
    adminTokens(first: $first, after: $after) {
      nodes {
        id
        name
        hint
        createdBy
        createdAt
        usedAt
        expiresAt
        revokedAt
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
type AdminToken = ResultOf<typeof query>['adminTokens']['nodes'][number];

const createAdminToken = graphql(`
  mutation CreateAdminToken($input: CreateAdminTokenInput!) {
    createAdminToken(input: $input) {
      token
      adminToken {
        id
      }
    }
  }
`);
const revokeAdminToken = graphql(`
  mutation RevokeAdminToken($input: RevokeAdminTokenInput!) {
    revokeAdminToken(input: $input) {
      id
      revokedAt
    }
  }
`);

const lead =
  'Scripts use a token to call the administration API (/graphql) as the member who created it. Tokens can’t decide approvals, reveal keys, publish policies, or create tokens.';

export function Component() {
  const [isCreating, creating] = useDisclosure();
  const pages = usePages({ query, variables: {}, pick: ({ adminTokens }) => adminTokens, news: 'organization' });
  const columns: Column<AdminToken>[] = [
    { label: 'Name', width: '26%', cell: (credential) => <NamedCredential {...credential} /> },
    { label: 'Acts as', cell: ({ createdBy }) => <MemberName id={createdBy} /> },
    { label: 'Last used', cell: ({ usedAt }) => <When at={usedAt} never="Never" /> },
    { label: 'Expires', width: '8rem', cell: ({ expiresAt }) => <When at={expiresAt} /> },
    { label: 'Status', width: '7rem', cell: (token) => <CredentialStatus {...token} /> },
    { label: 'Actions', isFigure: true, cell: (token) => <RevokeToken token={token} onRevoked={pages.refetch} /> },
  ];
  const button = <Button onClick={creating.open}>Create admin token</Button>;
  return (
    <>
      {pages.totalCount > 0 && (
        <Group justify="space-between" mb="md">
          <Text size="sm" c="dimmed" flex="1 1 16rem" maw="44rem">
            {lead}
          </Text>
          {button}
        </Group>
      )}
      <NewSecret
        opened={isCreating}
        onClose={creating.close}
        title="Create admin token"
        label="Token"
        hint="Send the token in the “Authorization: Bearer …” header of requests to /graphql."
      >
        {(show) => <TokenForm onCreated={(token) => (show(token), pages.refetch())} />}
      </NewSecret>
      <Rows
        label="Admin tokens"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={IconTerminal2} title="No admin tokens yet" action={button}>
            {lead}
          </Empty>
        }
      />
    </>
  );
}

function RevokeToken({ token, onRevoked }: { token: AdminToken; onRevoked(): void }) {
  const now = useNow();
  const { send, ...state } = useChange(revokeAdminToken, { done: 'Token revoked.', onDone: onRevoked });
  if (isInactive(token, now)) return null;
  return (
    <Revoke what="token" name={token.name} {...state} onRevoke={() => send({ input: { adminTokenId: token.id } })} />
  );
}

function TokenForm({ onCreated }: { onCreated(token: string): void }) {
  const form = useForm({ initialValues: { name: '', days: '30' } });
  const { send, problem, isSending } = useChange(createAdminToken, {
    onDone: ({ createAdminToken: { token } }) => onCreated(token),
  });
  const fault = (field: string) => faultOf(problem, field);
  return (
    <form onSubmit={form.onSubmit(({ name, days }) => send({ input: { name, expiresAt: daysFromNow(Number(days)) } }))}>
      <Stack>
        {problem && !['name', 'expiresAt'].some(fault) && <ProblemNote problem={problem} />}
        <TextInput
          label="Name"
          description="The script that uses the token."
          required
          data-autofocus
          {...form.getInputProps('name')}
          error={fault('name')}
        />
        <Select
          label="Expires in"
          data={lifetimes}
          allowDeselect={false}
          {...form.getInputProps('days')}
          error={fault('expiresAt')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending}>
            Create token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
