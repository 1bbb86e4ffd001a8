import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link, Navigate } from 'react-router';
import { graphql } from '../../../api/graphql.ts';
import { Page } from '../../../kit/page.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { emptyProvider, ProviderForm } from './provider-form.tsx';

const createSignInProvider = graphql(`
  mutation CreateSignInProvider($input: CreateSignInProviderInput!) {
    createSignInProvider(input: $input) {
      id
    }
  }
`);

export function Component() {
  const [createdId, setCreatedId] = useState<string | null>(null);
  const { send, problem, isSending } = useChange(createSignInProvider, {
    onDone: ({ createSignInProvider: { id } }) => setCreatedId(id),
  });
  if (createdId) return <Navigate to={`/organization/sign-in/${createdId}`} replace />;
  return (
    <Page
      title="Add sign-in provider"
      lead="Saving validates the provider metadata. You then get the redirect URI to register with the provider."
      trail={[['Sign-in', '/organization/sign-in']]}
    >
      <ProviderForm
        values={emptyProvider}
        secretHint="Leave empty for a public client."
        verb="Add provider"
        problem={problem}
        isSending={isSending}
        onSave={({ clientSecret, ...values }) => send({ input: { ...values, clientSecret: clientSecret || null } })}
        aside={
          <Button component={Link} to="/organization/sign-in" variant="default">
            Cancel
          </Button>
        }
      />
    </Page>
  );
}
