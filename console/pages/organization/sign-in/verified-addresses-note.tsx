import { Text } from '@mantine/core';
import { visible } from '../../../kit/visible.ts';

/** Shown before a sign-in provider no longer covers domains. */
export const VerifiedAddressesNote = ({ domains }: { domains: string[] }) => (
  <Text size="sm">
    Email addresses in {domains.map(visible).join(', ')} then count as verified by the invitation, unless another
    enabled provider covers the domain. Members find the documents of connected sources that the accounts with their
    address can read. First check that each member was invited at their own address.
  </Text>
);
