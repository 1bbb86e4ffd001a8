import { Box, Button } from '@mantine/core';
import { useState } from 'react';
import { Link, Navigate, useNavigate } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { CopyField } from '../../../kit/copy.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
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

const reserve = graphql(`
  query NewSignInProvider {
    newSignInProvider {
      reservation
      redirectUri
    }
  }
`);

export function Component() {
  const navigate = useNavigate();
  const [createdId, setCreatedId] = useState<string | null>(null);
  const { send, problem, isSending } = useChange(createSignInProvider, {
    onDone: ({ createSignInProvider: { id } }) => setCreatedId(id),
    onProposed: () => void navigate('/organization/sign-in'),
  });
  const [reserved, reserveAgain] = useQuery({ query: reserve });
  if (createdId) return <Navigate to={`/organization/sign-in/${createdId}`} replace />;
  return (
    <Page
      title="Add sign-in provider"
      lead="Register the redirect URI with the provider first. Saving validates the provider metadata."
      trail={[['Sign-in', '/organization/sign-in']]}
    >
      <Loaded result={reserved} refetch={reserveAgain}>
        {({ newSignInProvider: { redirectUri } }) => (
          <Box maw="36rem" mb="md">
            <CopyField
              label="Redirect URI"
              hint="Register it with the provider as the redirect URI of a web application."
              value={redirectUri}
            />
          </Box>
        )}
      </Loaded>
      <ProviderForm
        values={emptyProvider}
        secretHint="Leave empty for a public client."
        verb="Add provider"
        problem={problem}
        isSending={isSending}
        onSave={({ clientSecret, ...values }) =>
          send({
            input: {
              ...values,
              clientSecret: clientSecret || null,
              reservation: reserved.data?.newSignInProvider.reservation,
            },
          })
        }
        aside={
          <Button component={Link} to="/organization/sign-in" variant="default">
            Cancel
          </Button>
        }
      />
    </Page>
  );
}
