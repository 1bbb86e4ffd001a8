import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { CopyField } from '../../kit/copy.tsx';
import { useMay } from '../../kit/me.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';

const reveal = graphql(`
  mutation RevealWebhookToken($connectionId: ID!) {
    revealWebhookToken(input: { connectionId: $connectionId }) {
      token
    }
  }
`);

/** The token that a source sent for its webhooks, to be confirmed in the source. */
export function WebhookTokenAlert({ connectionId, receivedAt }: { connectionId: string; receivedAt: string }) {
  const [token, setToken] = useState<string | null>(null);
  const { send, isSending } = useChange(reveal, {
    isLoud: true,
    onDone: ({ revealWebhookToken }) => setToken(revealWebhookToken.token),
  });
  if (!useMay()('connections:manage')) return null;
  return (
    <Alert color="yellow" icon={<IconKey aria-hidden />} title="Webhook token received">
      <Stack gap="xs">
        <Text size="sm">
          The source sent a token <When at={receivedAt} />. Enter it there first. After the source accepts it, enter it
          in the settings.
        </Text>
        {token === null ? (
          <Group>
            <Button variant="default" loading={isSending} onClick={() => send({ connectionId })}>
              Show token
            </Button>
          </Group>
        ) : (
          <CopyField label="Webhook token" value={token} />
        )}
      </Stack>
    </Alert>
  );
}
