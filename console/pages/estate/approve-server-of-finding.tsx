import { Button } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { ApproveServer, approvalSubjectsOf } from './approve.tsx';
import { needsApproval } from './approval-badge.tsx';

const serverQuery = graphql(`
  query EstateServerOfFinding($id: ID!) {
    estateServer(id: $id) {
      id
      name
      host
      package {
        manager
        name
        versionSpec
        isPinned
      }
      definitionCount
      approvedDefinitionCount
    }
  }
`);

/** Approves the server that a finding is about, without a detour over its page. */
export function ApproveServerOfFinding({ serverId, onDone }: { serverId: string; onDone(): void }) {
  const [isApproving, setApproving] = useState(false);
  const [{ data }] = useQuery({ query: serverQuery, variables: { id: serverId } });
  const server = data?.estateServer;
  const subjects = server && needsApproval(server) ? approvalSubjectsOf(server) : [];
  if (!server || !subjects.length) return null;
  return (
    <>
      <Button onClick={() => setApproving(true)}>Approve server</Button>
      {isApproving && (
        <ApproveServer name={server.name} subjects={subjects} onClose={() => setApproving(false)} onDone={onDone} />
      )}
    </>
  );
}
