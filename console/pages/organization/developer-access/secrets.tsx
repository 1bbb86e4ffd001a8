import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
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

/** Each secret is shown once. During a rotation two are valid. */
export function Secrets({ client: { id, status, secrets } }: { client: Client }) {
  const [isRotating, rotating] = useDisclosure();
  const now = useNow();
  const validSecrets = secrets.filter(({ expiresAt }) => !expiresAt || Date.parse(expiresAt) > now);
  return (
    <>
      <Section
        title="Secrets"
        lead="Two secrets can be valid at once, so you can rotate without downtime."
        actions={
          status !== 'revoked' && (
            <Button variant="default" onClick={rotating.open}>
              Rotate secret
            </Button>
          )
        }
      >
        {validSecrets.length ? (
          <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {validSecrets.map((secret) => (
              <Row key={secret.id} secret={secret} />
            ))}
          </Stack>
        ) : (
          <Text size="sm">No valid secret. The product can’t authenticate until you rotate the secret.</Text>
        )}
      </Section>
      <NewSecret
        opened={isRotating}
        onClose={rotating.close}
        title="Rotate secret"
        label="Client secret"
        hint="Store the new secret on the product’s server. Then revoke the old one or let it expire."
      >
        {(show) => (
          <Rotate clientId={id} expiring={validSecrets.filter(({ expiresAt }) => expiresAt)} onRotated={show} />
        )}
      </NewSecret>
    </>
  );
}

function Row({ secret: { id, hint, createdAt, expiresAt } }: { secret: Secret }) {
  const [isRevoking, setRevoking] = useState(false);
  const { send, problem, isSending } = useChange(revokeOauthClientSecret, {
    done: 'Secret revoked.',
    onDone: () => setRevoking(false),
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
          Created <When at={createdAt} />
          {expiresAt && (
            <>
              , expires <When at={expiresAt} />
            </>
          )}
        </Text>
      </div>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Revoke secret ${hint}`}
        onClick={() => setRevoking(true)}
      >
        Revoke
      </Button>
      <Confirm
        opened={isRevoking}
        onClose={() => setRevoking(false)}
        title="Revoke secret?"
        verb="Revoke secret"
        problem={problem}
        isSending={isSending}
        onConfirm={() => send({ input: { secretId: id } })}
      >
        <Text size="sm">Products that still use this secret are rejected immediately. You can’t undo this.</Text>
      </Confirm>
    </Group>
  );
}

const hour = 3600;
const overlaps = [
  { value: '0', label: 'Revoke immediately (leaked)' },
  { value: String(hour), label: '1 hour' },
  { value: String(24 * hour), label: '1 day' },
  { value: String(7 * 24 * hour), label: '7 days' },
  { value: String(30 * 24 * hour), label: '30 days' },
];

interface RotateProps {
  clientId: string;
  /** Secrets that an earlier rotation kept valid for a while. */
  expiring: readonly Secret[];
  onRotated(secret: string): void;
}

function Rotate({ clientId, expiring, onRotated }: RotateProps) {
  const [overlap, setOverlap] = useState(String(24 * hour));
  const { send, problem, isSending } = useChange(rotateOauthClientSecret, {
    onDone: ({ rotateOauthClientSecret: { secret } }) => onRotated(secret!),
  });
  return (
    <Stack>
      {problem && <ProblemNote problem={problem} />}
      {expiring.map(({ id, hint, expiresAt }) => (
        <Alert key={id} color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} role="alert">
          The secret {hint} from before the last rotation is valid until <When at={expiresAt} />. This rotation ends it
          immediately.
        </Alert>
      ))}
      <Select
        label="Validity of the current secret"
        data={overlaps}
        allowDeselect={false}
        value={overlap}
        onChange={(value) => value && setOverlap(value)}
      />
      <Group justify="flex-end">
        <Button loading={isSending} onClick={() => send({ input: { clientId, overlapSeconds: Number(overlap) } })}>
          Create new secret
        </Button>
      </Group>
    </Stack>
  );
}
