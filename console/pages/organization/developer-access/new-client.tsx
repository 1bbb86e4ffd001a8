import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { Page } from '../../../kit/page.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { ClientForm } from './client-form.tsx';
import { type ClientValues, registrationOf } from './client-values.ts';
import { createOauthClient, type CreatedOauthClient } from './create-client.ts';
import { CreatedClient } from './created-client.tsx';

const empty: ClientValues = {
  name: '',
  description: '',
  logoUrl: '',
  contacts: [],
  type: 'public',
  isNative: false,
  redirectUris: [''],
  target: 'api',
  configurationId: null,
  scopes: ['api_read'],
  authMethod: 'client_secret_basic',
};

/** For an assistant: the link names the configuration that it will use. */
const forAssistant = (configurationId: string): ClientValues => ({
  ...empty,
  target: 'mcp',
  configurationId,
  scopes: ['api_read', 'api_write'],
});

export function Component() {
  const configurationId = useSearchParams()[0].get('configuration');
  const [created, setCreated] = useState<CreatedOauthClient | null>(null);
  const { send, problem, isSending } = useChange(createOauthClient, {
    onDone: ({ createOauthClient }) => setCreated(createOauthClient),
  });
  if (created) return <CreatedClient {...created} />;
  return (
    <Page
      title="Create external client"
      lead="You receive a client ID and endpoints for the product’s developers."
      trail={[['Developer Access', '/organization/developer-access']]}
    >
      <ClientForm
        values={configurationId ? forAssistant(configurationId) : empty}
        verb="Create external client"
        problem={problem}
        isSending={isSending}
        onSave={(values) => send({ input: registrationOf(values) })}
        aside={
          <Button component={Link} to="/organization/developer-access" variant="default">
            Cancel
          </Button>
        }
      />
    </Page>
  );
}
