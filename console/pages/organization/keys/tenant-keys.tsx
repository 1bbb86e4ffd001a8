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
import { isInactive, CredentialStatus } from './credential-status.tsx';

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

const scopeLabels: Record<Scope, { name: string; description: string }> = {
  documents: { name: 'Upload documents', description: 'Adds and deletes documents of a “Documents” integration.' },
  estate: {
    name: 'Upload device inventory',
    description: 'Uploads AI tool configuration to the AI estate, for example from device management.',
  },
};

export function Component() {
  const [isCreating, creating] = useDisclosure();
  const pages = usePages({ query, variables: {}, pick: ({ tenantKeys }) => tenantKeys, news: 'organization' });
  const columns: Column<TenantKey>[] = [
    { label: 'Name', width: '26%', cell: (credential) => <NamedCredential {...credential} /> },
    { label: 'Scopes', cell: ({ scopes }) => scopes.map((scope) => scopeLabels[scope].name).join(', ') },
    { label: 'Created by', isMinor: true, cell: ({ createdBy }) => <MemberName id={createdBy} /> },
    { label: 'Last used', cell: ({ usedAt }) => <When at={usedAt} never="Never" /> },
    { label: 'Expires', width: '8rem', isMinor: true, cell: ({ expiresAt }) => <When at={expiresAt} never="Never" /> },
    { label: 'Status', width: '7rem', cell: (key) => <CredentialStatus {...key} /> },
    { label: 'Actions', isFigure: true, cell: (key) => <RevokeKey tenantKey={key} onRevoked={pages.refetch} /> },
  ];
  const button = <Button onClick={creating.open}>Create tenant key</Button>;
  return (
    <>
      {pages.totalCount > 0 && (
        <Group justify="space-between" mb="md">
          <Text size="sm" c="dimmed" flex="1 1 16rem">
            Machines use a key to upload data. A key can’t read data or decide approvals.
          </Text>
          {button}
        </Group>
      )}
      <NewSecret
        opened={isCreating}
        onClose={creating.close}
        title="Create tenant key"
        label="Key"
        hint="Send the key in the “Authorization: Bearer …” header of upload requests."
      >
        {(show) => <KeyForm onCreated={(key) => (show(key), pages.refetch())} />}
      </NewSecret>
      <Rows
        label="Tenant keys"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={IconKey} title="No tenant keys yet" action={button}>
            Create a key to upload documents or device inventory from a machine. A key can’t read data or decide
            approvals.
          </Empty>
        }
      />
    </>
  );
}

function RevokeKey({ tenantKey, onRevoked }: { tenantKey: TenantKey; onRevoked(): void }) {
  const now = useNow();
  const { send, ...state } = useChange(revokeTenantKey, { done: 'Key revoked.', onDone: onRevoked });
  if (isInactive(tenantKey, now)) return null;
  return (
    <Revoke
      what="key"
      name={tenantKey.name}
      {...state}
      onRevoke={() => send({ input: { tenantKeyId: tenantKey.id } })}
    />
  );
}

const never = { value: 'never', label: 'No expiration' };

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
          description="The machine or program that uses the key."
          required
          data-autofocus
          {...form.getInputProps('name')}
          error={fault('name')}
        />
        <Checkbox.Group
          label="Scopes"
          value={form.values.scopes}
          onChange={(scopes) => form.setFieldValue('scopes', scopes)}
          error={fault('scopes')}
          required
        >
          <Stack gap="xs" mt="xs">
            {(Object.keys(scopeLabels) as Scope[]).map((scope) => (
              <Checkbox
                key={scope}
                value={scope}
                label={scopeLabels[scope].name}
                description={scopeLabels[scope].description}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <Select
          label="Expires"
          data={[...lifetimes, never]}
          allowDeselect={false}
          {...form.getInputProps('days')}
          error={fault('expiresAt')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending} disabled={!form.values.scopes.length}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
