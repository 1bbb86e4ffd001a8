import { Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconKey } from '@tabler/icons-react';
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
import { isOver, Standing } from './standing.tsx';

const query = graphql(`
  query TenantKeys($first: Int!, $after: String) {
    tenantKeys(first: $first, after: $after) {
      nodes {
        id
        name
        hint
        scopes
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
type TenantKey = ResultOf<typeof query>['tenantKeys']['nodes'][number];
type Scope = TenantKey['scopes'][number];

const createTenantKey = graphql(`
  mutation CreateTenantKey($input: CreateTenantKeyInput!) {
    createTenantKey(input: $input) {
      key
      tenantKey {
        id
      }
    }
  }
`);
const revokeTenantKey = graphql(`
  mutation RevokeTenantKey($input: RevokeTenantKeyInput!) {
    revokeTenantKey(input: $input) {
      id
      revokedAt
    }
  }
`);

const scopeWords: Record<Scope, { name: string; what: string }> = {
  documents: { name: 'Push documents', what: 'Into a connection of the kind “Documents”, and out of it.' },
  estate: { name: 'Upload what devices run', what: 'For the AI estate: what a script of the device management finds.' },
};

export function Component() {
  const [isCreating, creating] = useDisclosure();
  const pages = usePages({ query, variables: {}, pick: ({ tenantKeys }) => tenantKeys, news: 'organization' });
  const columns: Column<TenantKey>[] = [
    { label: 'Name', width: '26%', cell: (credential) => <NamedCredential {...credential} /> },
    { label: 'For', cell: ({ scopes }) => scopes.map((scope) => scopeWords[scope].name).join(', ') },
    { label: 'Made by', isMinor: true, cell: ({ createdBy }) => <MemberName id={createdBy} /> },
    { label: 'Last used', cell: ({ usedAt }) => <When at={usedAt} never="never" /> },
    { label: 'Ends', width: '8rem', isMinor: true, cell: ({ expiresAt }) => <When at={expiresAt} never="never" /> },
    { label: 'State', width: '7rem', cell: (key) => <Standing {...key} /> },
    { label: 'Revoke', isFigure: true, cell: (key) => <RevokeKey tenantKey={key} onRevoked={pages.again} /> },
  ];
  const button = <Button onClick={creating.open}>Create a tenant key</Button>;
  return (
    <>
      {pages.totalCount > 0 && (
        <Group justify="space-between" mb="md">
          <Text size="sm" c="dimmed" flex="1 1 16rem">
            With a key, machines hand something in. It reads nothing and decides nothing.
          </Text>
          {button}
        </Group>
      )}
      <NewSecret
        opened={isCreating}
        onClose={creating.close}
        title="Create a tenant key"
        label="Key"
        hint="It goes into the header “Authorization: Bearer …” of the machine that uses it."
      >
        {(show) => <KeyForm onCreated={(key) => (show(key), pages.again())} />}
      </NewSecret>
      <Rows
        label="Tenant keys"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={IconKey} title="No tenant keys yet" action={button}>
            With a key, machines hand something in: documents, or what devices are configured to run. It reads nothing
            and decides nothing.
          </Empty>
        }
      />
    </>
  );
}

function RevokeKey({ tenantKey, onRevoked }: { tenantKey: TenantKey; onRevoked(): void }) {
  const now = useNow();
  const { send, ...state } = useChange(revokeTenantKey, { done: 'The key was revoked.', onDone: onRevoked });
  if (isOver(tenantKey, now)) return null;
  return (
    <Revoke
      what="key"
      name={tenantKey.name}
      {...state}
      onRevoke={() => send({ input: { tenantKeyId: tenantKey.id } })}
    />
  );
}

const never = { value: 'never', label: 'Never, until it is revoked' };

function KeyForm({ onCreated }: { onCreated(key: string): void }) {
  const form = useForm({ initialValues: { name: '', scopes: [] as Scope[], days: never.value } });
  const { send, problem, isSending } = useChange(createTenantKey, {
    onDone: ({ createTenantKey: { key } }) => onCreated(key),
  });
  const fault = (field: string) => faultOf(problem, field);
  return (
    <form
      onSubmit={form.onSubmit(({ days, ...input }) =>
        send({ input: { ...input, expiresAt: days === never.value ? null : daysFromNow(Number(days)) } }),
      )}
    >
      <Stack>
        {problem && !['name', 'scopes', 'expiresAt'].some(fault) && <ProblemNote problem={problem} />}
        <TextInput
          label="Name"
          description="Who or what uses it, so that you know it again."
          required
          data-autofocus
          error={fault('name')}
          {...form.getInputProps('name')}
        />
        <Checkbox.Group
          label="What it is for"
          value={form.values.scopes}
          onChange={(scopes) => form.setFieldValue('scopes', scopes)}
          error={fault('scopes')}
          required
        >
          <Stack gap="xs" mt="xs">
            {(Object.keys(scopeWords) as Scope[]).map((scope) => (
              <Checkbox key={scope} value={scope} label={scopeWords[scope].name} description={scopeWords[scope].what} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Select
          label="Ends"
          data={[...lifetimes, never]}
          allowDeselect={false}
          error={fault('expiresAt')}
          {...form.getInputProps('days')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending} disabled={!form.values.scopes.length}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
