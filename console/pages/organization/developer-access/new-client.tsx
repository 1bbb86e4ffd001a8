import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { Page } from '../../../kit/page.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { ClientForm, type ClientValues, registrationOf } from './client-form.tsx';
import { CreatedClient } from './created-client.tsx';

const createOauthClient = graphql(`
  mutation CreateOauthClient($input: CreateOauthClientInput!) {
    createOauthClient(input: $input) {
      secret
      client {
        id
        name
        authorizationEndpoint
        tokenEndpoint
        resource
      }
    }
  }
`);
export type Created = ResultOf<typeof createOauthClient>['createOauthClient'];

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

export function Component() {
  const [created, setCreated] = useState<Created | null>(null);
  const { send, problem, isSending } = useChange(createOauthClient, {
    onDone: ({ createOauthClient }) => setCreated(createOauthClient),
  });
  if (created) return <CreatedClient {...created} />;
  return (
    <Page
      title="Create external client"
      lead="You get a client ID and the addresses that the product’s makers need."
      trail={[['Developer Access', '/organization/developer-access']]}
    >
      <ClientForm
        values={empty}
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
