import { Code } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { useMay } from '../../kit/me.tsx';
import type { Approval } from './approval-query.ts';

const query = graphql(`
  query PasskeyEvidence($approvalId: ID!) {
    approvalAssertions(approvalId: $approvalId) {
      memberId
      decision
      createdAt
      isSynced
      credentialId
      publicKey
      statement
      clientData
      authenticatorData
      signature
    }
  }
`);

/** For auditors: what the passkeys of the approvers signed. */
export function PasskeyEvidence({ approval: { id, requiresPasskey } }: { approval: Approval }) {
  const may = useMay();
  const isShown = requiresPasskey && may('audit:read');
  const [{ data }] = useQuery({
    query,
    variables: { approvalId: id },
    pause: !isShown,
    requestPolicy: 'cache-and-network',
  });
  if (!isShown || !data?.approvalAssertions.length) return null;
  return (
    <details className="fine-print">
      <summary>Passkey evidence</summary>
      <Code block className="verbatim">
        {JSON.stringify(data.approvalAssertions, null, 2)}
      </Code>
    </details>
  );
}
