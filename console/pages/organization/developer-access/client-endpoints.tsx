import { Stack } from '@mantine/core';
import { CopyField } from '../../../kit/copy.tsx';
import type { Client } from './client-fields.ts';

type Props = Pick<Client, 'id' | 'authorizationEndpoint' | 'tokenEndpoint' | 'resource'>;

/** The values that a product is configured with. None of them is secret. */
export const ClientEndpoints = ({
  client: { id, authorizationEndpoint, tokenEndpoint, resource },
}: {
  client: Props;
}) => (
  <Stack maw="44rem">
    <CopyField label="Client ID" value={id} />
    <CopyField
      label="Authorization endpoint"
      value={authorizationEndpoint}
      hint="Redirect users here with a PKCE code_challenge (S256)."
    />
    <CopyField label="Token endpoint" value={tokenEndpoint} hint="Exchanges authorization codes and refresh tokens." />
    <CopyField label="Resource URL" value={resource} hint="The audience of its access tokens, and the URL to call." />
  </Stack>
);
