import { Button, Stack, Text } from '@mantine/core';
import { useLayoutEffect } from 'react';
import { Link } from 'react-router';
import { SecretOnce } from '../../../kit/copy.tsx';
import { Page } from '../../../kit/page.tsx';
import { Section } from '../../../kit/section.tsx';
import { visible } from '../../../kit/visible.ts';
import { ClientEndpoints } from './client-endpoints.tsx';
import type { CreatedOauthClient } from './create-client.ts';

/** The values of a new client. Its secret is shown only here. */
export function CreatedClient({ client, secret }: CreatedOauthClient) {
  // the form before was scrolled down to its button
  useLayoutEffect(() => void scrollTo(0, 0), []);
  return (
    <Page
      title={`${visible(client.name)} was created`}
      lead="Share these values with the product's developers."
      trail={[['Developer Access', '/organization/developer-access']]}
    >
      {secret && (
        <Section title="Client secret">
          <Stack maw="44rem">
            <SecretOnce label="Client secret" value={secret} note="Copy the secret now. It is not shown again." />
            <Text size="sm">
              Store the secret on a server and send it only to the token endpoint. Never put it in a browser, an app, or
              a repository. If it is lost or exposed, rotate it.
            </Text>
          </Stack>
        </Section>
      )}
      <Section title="Endpoints">
        <ClientEndpoints client={client} />
      </Section>
      <Button component={Link} to={`/organization/developer-access/${client.id}`}>
        {secret ? 'I have copied the secret' : 'Done'}
      </Button>
    </Page>
  );
}
