import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Connector } from '../../features/integrations/connectors.ts';
import { CopyField } from '../../kit/copy.tsx';
import { Section } from '../../kit/section.tsx';
import type { Integration } from './integration-query.ts';

/** The address to enter in the connected system, with the events and the secret that belong to it. */
export function WebhookSection({ of, connector }: { of: Integration; connector: Connector | undefined }) {
  if (!of.webhookUrl) return null;
  const secret = connector?.fields.find(({ name }) => name === connector.webhook?.secretField);
  return (
    <Section
      title="Webhook"
      lead="Optional. With a webhook, changes are read as soon as the source reports them. The source must be able to reach this address."
    >
      <Stack gap="md">
        <CopyField label="Webhook address" value={of.webhookUrl} />
        {connector?.webhook && (
          <Text size="sm" maw="42rem">
            {connector.webhook.setUp}
          </Text>
        )}
        {secret && (
          <Text size="sm" maw="42rem">
            <b>{secret.label}.</b> {secret.help}{' '}
            {of.credentials.includes(secret.name) ? (
              'It is set.'
            ) : (
              <>
                It is not set. Enter it in the{' '}
                <Anchor component={Link} to={`/integrations/${of.id}/settings`} inherit underline="always">
                  settings
                </Anchor>
                .
              </>
            )}
          </Text>
        )}
      </Stack>
    </Section>
  );
}
