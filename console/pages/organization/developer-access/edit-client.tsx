import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { useChangeEvents } from '../../../api/change-events.ts';
import { Loaded } from '../../../kit/loaded.tsx';
import { Page } from '../../../kit/page.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { ConflictNotice, useFormBaseline } from '../../../kit/use-form-baseline.tsx';
import { visible } from '../../../kit/visible.ts';
import { type Client, clientQuery } from './client-fields.ts';
import { ClientForm } from './client-form.tsx';
import { type ClientValues, registrationOf } from './client-values.ts';

const updateOauthClient = graphql(`
  mutation UpdateOauthClient($input: UpdateOauthClientInput!) {
    updateOauthClient(input: $input) {
      id
      version
    }
  }
`);

const valuesOf = (client: Client): ClientValues => ({
  name: client.name,
  description: client.description ?? '',
  logoUrl: client.logoUrl ?? '',
  contacts: client.contacts,
  type: client.type,
  isNative: client.isNative,
  redirectUris: client.redirectUris,
  target: client.target,
  configurationId: client.configuration?.id ?? null,
  scopes: client.scopes,
  authMethod: client.authMethod,
});

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useQuery({ query: clientQuery, variables: { id } });
  useChangeEvents('client', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ oauthClient }) => <EditClient key={oauthClient.id} client={oauthClient} />}
    </Loaded>
  );
}

function EditClient({ client }: { client: Client }) {
  const [isSaved, setSaved] = useState(false);
  const { seen, see, isOutdated } = useFormBaseline(client);
  const { send, problem, isSending, forget } = useChange(updateOauthClient, {
    done: 'Client saved.',
    onDone: () => setSaved(true),
  });
  const page = `/organization/developer-access/${client.id}`;
  if (isSaved) return <Navigate to={page} replace />;
  const save = (values: ClientValues) => {
    const { type: _, ...registration } = registrationOf(values);
    return send({ input: { ...registration, clientId: client.id, basedOn: seen.version } });
  };
  const loadLatest = () => {
    see(client);
    forget();
  };
  return (
    <Page
      title={`Edit ${visible(client.name)}`}
      lead="If you change the target or remove scopes, existing grants end and users are asked again."
      trail={[
        ['Developer Access', '/organization/developer-access'],
        [visible(client.name), page],
      ]}
    >
      {isOutdated && <ConflictNotice onCatchUp={loadLatest} />}
      <ClientForm
        key={seen.version}
        values={valuesOf(seen)}
        isTypeFixed
        verb="Save changes"
        problem={problem}
        isSending={isSending}
        onSave={save}
        aside={
          <Button component={Link} to={page} variant="default">
            Cancel
          </Button>
        }
      />
    </Page>
  );
}
