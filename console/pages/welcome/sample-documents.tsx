import { IconNotebook } from '@tabler/icons-react';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { ConnectorButton } from './connector-button.tsx';

const connectSampleDocuments = graphql(`
  mutation ConnectSampleDocuments($input: CreateConnectionInput!) {
    createConnection(input: $input) {
      id
    }
  }
`);

/** Documents that ship with the server: connected at once, because there is nothing to enter. */
export function SampleDocuments({ onCreated }: { onCreated(): void }) {
  const { send, problem, isSending } = useChange(connectSampleDocuments, { onDone: onCreated });
  const input = { kind: 'sample', name: 'Sample documents', slug: 'sample-documents', settings: {}, secrets: {} };
  return (
    <>
      {problem && <ProblemNote problem={problem} />}
      <ConnectorButton
        label="Sample documents"
        description="The handbook of a fictional company. Try a task without connecting a system."
        icon={IconNotebook}
        loading={isSending}
        onClick={() => void send({ input })}
      />
    </>
  );
}
