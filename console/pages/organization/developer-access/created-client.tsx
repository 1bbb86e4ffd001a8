import { Button, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { SecretOnce } from '../../../kit/copy.tsx';
import { Page } from '../../../kit/page.tsx';
import { Section } from '../../../kit/section.tsx';
import { visible } from '../../../kit/visible.ts';
import { Addresses } from './addresses.tsx';
import type { Created } from './new-client.tsx';

/** What the product’s makers need, right after it was registered; the secret is here and never again. */
export const CreatedClient = ({ client, secret }: Created) => (
  <Page
    title={`${visible(client.name)} was created`}
    lead="Hand these to the makers of the product."
    trail={[['Developer Access', '/organization/developer-access']]}
  >
    {secret && (
      <Section title="Client secret">
        <Stack maw="44rem">
          <SecretOnce label="Client secret" value={secret} note="Copy it now: it is gone once you leave this page" />
          <Text size="sm">
            It belongs on a server and goes to the token endpoint alone: never into a browser, an app or a repository.
            If it was lost or seen, rotate it.
          </Text>
        </Stack>
      </Section>
    )}
    <Section title="Addresses">
      <Addresses client={client} />
    </Section>
    <Button component={Link} to={`/organization/developer-access/${client.id}`}>
      {secret ? 'I have copied the secret' : 'Done'}
    </Button>
  </Page>
);
