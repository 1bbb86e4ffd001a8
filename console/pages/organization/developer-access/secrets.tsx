import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { useNow, When } from '../../../kit/when.tsx';
import { NewSecret } from '../keys/new-secret.tsx';
import type { Client } from './client-fields.ts';

const rotateOauthClientSecret = graphql(`
  mutation RotateOauthClientSecret($input: RotateOauthClientSecretInput!) {
    rotateOauthClientSecret(input: $input) {
      secret
      client {
        id
      }
    }
  }
`);
const revokeOauthClientSecret = graphql(`
  mutation RevokeOauthClientSecret($input: RevokeOauthClientSecretInput!) {
    revokeOauthClientSecret(input: $input) {
      id
      expiresAt
    }
  }
`);

type Secret = Client['secrets'][number];

/** Each is shown once; two work while the product changes from one to the next. */
export function Secrets({ client: { id, status, secrets } }: { client: Client }) {
  const [isRotating, rotating] = useDisclosure();
  const now = useNow();
  const working = secrets.filter(({ expiresAt }) => !expiresAt || Date.parse(expiresAt) > now);
  return (
    <>
      <Section
        title="Secrets"
        lead="At most two work at a time, so that the product can change from one to the next without a pause."
        actions={
          status !== 'revoked' && (
            <Button variant="default" onClick={rotating.open}>
              Rotate secret
            </Button>
          )
        }
      >
        {working.length ? (
          <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {working.map((secret) => (
              <Row key={secret.id} secret={secret} />
            ))}
          </Stack>
        ) : (
          <Text size="sm">None works: the product cannot sign in until it has a new one.</Text>
        )}
      </Section>
      <NewSecret
        opened={isRotating}
        onClose={rotating.close}
        title="Rotate the secret"
        label="Client secret"
        hint="Put it on the product’s server, then revoke the old one or let it run out."
      >
        {(show) => <Rotate clientId={id} onRotated={show} />}
      </NewSecret>
    </>
  );
}

function Row({ secret: { id, hint, createdAt, expiresAt } }: { secret: Secret }) {
  const [isAsking, setAsking] = useState(false);
  const { send, problem, isSending } = useChange(revokeOauthClientSecret, {
    done: 'The secret was revoked.',
    onDone: () => setAsking(false),
  });
  return (
    <Group component="li" justify="space-between" gap="sm">
      <div>
        <Group gap="xs">
          <Text size="sm" ff="monospace">
            {hint}
          </Text>
          <StateBadge state={expiresAt ? 'expiring' : 'active'} />
        </Group>
        <Text size="xs" c="dimmed" component="div">
          Made <When at={createdAt} />
          {expiresAt && (
            <>
              , ends <When at={expiresAt} />
            </>
          )}
        </Text>
      </div>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Revoke the secret ${hint}`}
        onClick={() => setAsking(true)}
      >
        Revoke
      </Button>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Revoke this secret?"
        verb="Revoke secret"
        problem={problem}
        isSending={isSending}
        onConfirm={() => send({ input: { secretId: id } })}
      >
        <Text size="sm">A product that still uses it is refused at once, for good.</Text>
      </Confirm>
    </Group>
  );
}

const hour = 3600;
const overlaps = [
  { value: '0', label: 'Not at all: it has leaked' },
  { value: String(hour), label: 'For an hour' },
  { value: String(24 * hour), label: 'For a day' },
  { value: String(7 * 24 * hour), label: 'For a week' },
  { value: String(30 * 24 * hour), label: 'For 30 days' },
];

function Rotate({ clientId, onRotated }: { clientId: string; onRotated(secret: string): void }) {
  const [overlap, setOverlap] = useState(String(24 * hour));
  const { send, problem, isSending } = useChange(rotateOauthClientSecret, {
    onDone: ({ rotateOauthClientSecret: { secret } }) => onRotated(secret!),
  });
  return (
    <Stack>
      {problem && <ProblemNote problem={problem} />}
      <Select
        label="How long the present one still works"
        data={overlaps}
        allowDeselect={false}
        value={overlap}
        onChange={(value) => value && setOverlap(value)}
      />
      <Group justify="flex-end">
        <Button loading={isSending} onClick={() => send({ input: { clientId, overlapSeconds: Number(overlap) } })}>
          Make a new secret
        </Button>
      </Group>
    </Stack>
  );
}
