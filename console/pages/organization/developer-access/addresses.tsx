import { Stack } from '@mantine/core';
import { CopyField } from '../../../kit/copy.tsx';
import type { Client } from './client-fields.ts';

type Props = Pick<Client, 'id' | 'authorizationEndpoint' | 'tokenEndpoint' | 'resource'>;

/** What a product is set up with. None of it is secret. */
export const Addresses = ({ client: { id, authorizationEndpoint, tokenEndpoint, resource } }: { client: Props }) => (
  <Stack maw="44rem">
    <CopyField label="Client ID" value={id} />
    <CopyField
      label="Authorization endpoint"
      value={authorizationEndpoint}
      hint="Where it sends people’s browsers, with code_challenge (S256)."
    />
    <CopyField label="Token endpoint" value={tokenEndpoint} hint="Where it exchanges the code and refreshes." />
    <CopyField label="Resource URL" value={resource} hint="What its access tokens are for, and where it uses them." />
  </Stack>
);
